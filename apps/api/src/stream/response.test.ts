import { defaultSettings } from '@solstice/station'
import t from 'tap'
import { responseHead } from './response.ts'

const { directory } = defaultSettings.branding
const about = {
  ...{
    httpVersion: '1.1',
    wantsTitles: false,
    frame: 7,
    requestId: 'r',
    name: 'Tide',
    directory,
    origin: null,
  },
  ...{ mount: { codec: 'aac', bitrate: 64 } as const, url: 'https://radio.example' },
}
const linesOf = (head: Buffer) => head.toString().split('\r\n')

t.test('directories are told what the station says, and nothing of what is empty', async (t) => {
  const plain = linesOf(responseHead(about))
  t.ok(plain.includes('icy-genre: Various') && plain.includes('icy-url: https://radio.example'))
  t.notOk(plain.some((line) => /^icy-(description|logo|country|language|geo|main|version|index)/.test(line)))
  const entry = {
    ...{ description: 'Тиша', genre: 'Folk', url: 'https://x.example', logo: 'https://x.example/a.png' },
    ...{ countryCode: 'UA', languageCodes: 'uk,en', geoLatLong: '50.45,30.52', isPublic: true },
    mainStreamUrl: 'https://x.example/live',
  }
  const told = linesOf(responseHead({ ...about, directory: entry }))
  for (const line of [
    'icy-description: Тиша',
    'icy-genre: Folk',
    'icy-url: https://x.example',
    'icy-logo: https://x.example/a.png',
    'icy-country-code: UA',
    'icy-language-codes: uk,en',
    'icy-geo-lat-long: 50.45,30.52',
    'icy-main-stream-url: https://x.example/live',
    'icy-pub: 1',
    'icy-index-metadata: 1',
  ])
    t.ok(told.includes(line), line)

  const exposedIn = (head: Buffer) =>
    /^Access-Control-Expose-Headers: (.*)$/m.exec(head.toString().replaceAll('\r', ''))?.[1]?.split(', ')
  t.equal(exposedIn(responseHead({ ...about, directory: entry })), undefined)
  for (const wantsTitles of [false, true]) {
    const head = responseHead({ ...about, directory: entry, wantsTitles, origin: '*' })
    const icy = linesOf(head).flatMap((line) => /^icy-[a-z-]+/.exec(line) ?? [])
    t.equal(icy.includes('icy-metaint'), wantsTitles)
    t.same(exposedIn(head), ['X-Stream-Frame', 'X-Request-Id', ...icy], 'pages may read each of them')
  }
})

t.test('a mount tells its codec and bit rate', async (t) => {
  const lines = linesOf(responseHead(about))
  t.ok(lines.includes('Content-Type: audio/aac') && lines.includes('icy-br: 64'))
})
