import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t, { type Test } from 'tap'
import { createLyricsLookup } from './lyrics-lookup.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** A lyrics service with the given answers. */
async function openService(t: Test, answer: RequestListener) {
  const asked: URL[] = []
  const server = createServer((request, response) => {
    asked.push(new URL(request.url!, 'http://service'))
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api` }
}

const RECORDING = { title: 'Вода & вогонь', artist: 'Хтось', album: 'Перший', durationSecs: 61.6 }
const saying = (answer: unknown, status = 200): RequestListener => {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }
}

t.test('a lookup is an LRCLIB request with the known fields', async (t) => {
  const service = await openService(t, saying({ syncedLyrics: null, plainLyrics: 'a' }))
  const { find } = createLyricsLookup(service.url)
  await find(RECORDING)
  await find({ title: 'T', artist: 'A' })
  t.equal(service.asked[0]?.pathname, '/api/get')
  t.same(Object.fromEntries(service.asked[0]!.searchParams), {
    track_name: 'Вода & вогонь',
    artist_name: 'Хтось',
    album_name: 'Перший',
    duration: '62',
  })
  t.same(Object.fromEntries(service.asked[1]!.searchParams), { track_name: 'T', artist_name: 'A' })
})

t.test('synced lyrics are preferred to plain ones; empty lyrics count as not found', async (t) => {
  const answers: [object, object | null][] = [
    [
      { syncedLyrics: '[00:01.00] one\n[00:02.50]\n[ar:x]\n[01:02.345]two', plainLyrics: 'one\ntwo' },
      {
        synced: true,
        lines: [
          { time: 1, text: 'one' },
          { time: 62.35, text: 'two' },
        ],
      },
    ],
    [
      { syncedLyrics: 'no times here', plainLyrics: ' one \n\n[Chorus]\n two [x2]' },
      {
        synced: false,
        lines: [
          { time: 0, text: 'one' },
          { time: 0, text: 'two' },
        ],
      },
    ],
    [
      // A backtracking parser would be busy with these brackets for minutes.
      { syncedLyrics: null, plainLyrics: `${'['.repeat(500_000)}\none [x2] [two` },
      {
        synced: false,
        lines: [
          { time: 0, text: '['.repeat(500_000) },
          { time: 0, text: 'one  [two' },
        ],
      },
    ],
    [{ syncedLyrics: null, plainLyrics: null, instrumental: true }, null],
    [{ syncedLyrics: 5, plainLyrics: ['a'] }, null],
  ]
  for (const [answer, lyrics] of answers) {
    const service = await openService(t, saying(answer))
    t.same(await createLyricsLookup(service.url).find(RECORDING), lyrics)
  }
  const service = await openService(t, saying({ code: 404, name: 'TrackNotFound' }, 404))
  t.equal(await createLyricsLookup(service.url).find(RECORDING), null)
})

t.test('an answer that is late, too large, redirected or malformed is an error', async (t) => {
  const stranger = await openService(t, saying({ syncedLyrics: null, plainLyrics: 'a secret' }))
  const services: Record<string, RequestListener> = {
    'status 500': saying({}, 500),
    'status 429': saying({}, 429),
    'status 204': (_, response) => response.writeHead(204).end(),
    garbage: (_, response) => response.end('<html>'),
    'a list': saying([]),
    null: saying(null),
    'other JSON': saying({ hello: 'world' }),
    'a redirect': (_, response) => response.writeHead(302, { location: stranger.url }).end(),
    'a broken connection': (_, response) => response.destroy(),
    'half an answer': (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"syncedLyrics":')
      response.destroy()
    },
    'an endless answer': (_, response) => {
      const more = () => {
        while (response.write('x'.repeat(64 * 1024)));
      }
      response.on('drain', more)
      more()
    },
    'no answer': () => {},
    'an answer that stops': (_, response) => void response.write('{'),
    'an answer that trickles': (_, response) => {
      const drops = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drops))
    },
  }
  for (const [what, answer] of Object.entries(services)) {
    const service = await openService(t, answer)
    // The time limit must hold even if the runtime forgets the signal after the headers.
    const forgetting = setInterval(collectGarbage, 50)
    await t.rejects(createLyricsLookup(service.url, 300).find(RECORDING), what)
    clearInterval(forgetting)
  }
  t.equal(stranger.asked.length, 0, 'nobody is asked but the service itself')
  await t.rejects(createLyricsLookup('http://127.0.0.1:1/api').find(RECORDING), 'nobody there')
})

t.test('without an address, lookups are off', async (t) => {
  t.equal(await createLyricsLookup('').find(RECORDING), null)
})
