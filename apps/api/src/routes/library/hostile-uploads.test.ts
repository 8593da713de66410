import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { allRoutes, type Route } from '@solstice/contracts'
import t from 'tap'
import { makeTone } from '../../../../../tests/harness/audio/audio.ts'
import { tagBombs } from '../../../../../tests/harness/audio/tag-bombs.ts'
import { asAdmin, SUPER_ADMIN } from '../../../../../tests/harness/people/admin.ts'
import { root, temporaryFolder } from '../../../../../tests/harness/processes/processes.ts'
import { longestTurnMs } from '../../../../../tests/harness/processes/turns.ts'
import { openApp } from '../../../../../tests/harness/stations/app.ts'

const MB = 1024 * 1024

const folder = await temporaryFolder(t)
const tonePath = join(folder, 'tone.mp3')
await makeTone(tonePath, { hz: 440, seconds: 2 })
const tone = await readFile(tonePath)
/** Without a tag before it. */
const frames = tone.subarray(tone.indexOf(Buffer.from([0xff, 0xfb])))

/** Routes that take files, as they are asked, and what each takes at most. */
const uploadRoutes = Object.values(allRoutes).flatMap((route: Route) =>
  route.body && 'upload' in route.body && route.body.kind
    ? [{ name: `${route.method} ${route.path}`, type: route.body.upload[0]!, maxBytes: route.body.maxBytes }]
    : [],
)
const takesMp3 = uploadRoutes.filter(({ type }) => type !== 'image/jpeg')

t.test('no upload blocks the API, whatever its tags', async (t) => {
  const station = await openApp(t, { ...SUPER_ADMIN, STREAM_MODE: 'true', RADIO_HOSTS_MODE: 'true' })
  const { ask } = await asAdmin(station)
  for (const [at, [what, { before, behind }]] of Object.entries(tagBombs).entries()) {
    const { name, type } = takesMp3[at % takesMp3.length]!
    const bytes = Buffer.concat([before ?? Buffer.alloc(0), frames, behind ?? Buffer.alloc(0)])
    const filename = `${at}.mp3`
    let status = 0
    const longestMs = await longestTurnMs(async () => {
      const sent = await ask(name, bytes, { 'content-type': type, 'x-file-name': filename })
      status = sent.status
      if (name.endsWith('upload-song-file') && status === 200)
        status = (
          await ask('POST /api/admin/upload-song-commit', {
            metadata: { ...sent.body.metadata, title: `${at}` },
          })
        ).status
    })
    t.equal(status, 200, `${name}: ${what}`)
    t.ok(longestMs < 200, `${name}: ${what}: ${longestMs.toFixed()} ms`)
  }
})

t.test('MP3 frames inside another format do not make an MP3', async (t) => {
  const station = await openApp(t, { ...SUPER_ADMIN, STREAM_MODE: 'true', RADIO_HOSTS_MODE: 'true' })
  const { ask } = await asAdmin(station)
  const wavPath = join(folder, 'tone.wav')
  await promisify(execFile)('ffmpeg', ['-loglevel', 'error', '-i', tonePath, '-c:a', 'copy', wavPath])
  const few = frames.subarray(0, 5_000)
  const playlist = (head: string) => Buffer.concat([Buffer.from(head), frames])
  const refused: Record<string, Buffer> = {
    'noise with a few frames in it': Buffer.concat([randomBytes(100_000), few, randomBytes(100_000)]),
    'WAV with MP3 in it': await readFile(wavPath),
    'a playlist before MP3': playlist('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'),
    'a list of ffmpeg before MP3': playlist("ffconcat version 1.0\nfile '/etc/passwd'\n"),
    'a page behind the mark of its byte order': playlist('\ufeff<script>'),
    'a tag bomb before FLAC': Buffer.concat([
      tagBombs['genres of 7.5 MB']!.before!,
      Buffer.from('fLaC'),
      randomBytes(1_000),
    ]),
  }
  for (const [what, bytes] of Object.entries(refused)) {
    for (const { name, type } of takesMp3) {
      const { status, body } = await ask(name, bytes, { 'content-type': type, 'x-file-name': 'a.mp3' })
      t.match({ status, body }, { status: 400, body: { error: { reason: 'not_mp3' } } }, `${name}: ${what}`)
    }
  }
  const halfAFrame = await ask(takesMp3[0]!.name, frames.subarray(200), {
    'content-type': takesMp3[0]!.type,
    'x-file-name': 'cut.mp3',
  })
  t.equal(halfAFrame.status, 200, 'one that begins in the middle of a frame is one')
})

t.test('a body announced larger than its route allows is refused before it is sent', async (t) => {
  const station = await openApp(t, { ...SUPER_ADMIN, STREAM_MODE: 'true', RADIO_HOSTS_MODE: 'true' })
  const { token } = await asAdmin(station)
  const address = new URL(await station.app.listen({ port: 0, host: '127.0.0.1' }))
  const announce = async (route: string, type: string, bytes: number) => {
    const [method, path] = route.split(' ')
    const socket = connect(Number(address.port), address.hostname)
    const query = type === 'image/jpeg' ? '?artist=a' : ''
    const head = [
      `${method} ${path}${query} HTTP/1.1`,
      `host: ${address.host}`,
      `authorization: Bearer ${token}`,
      `content-type: ${type}`,
      'x-file-name: a.mp3',
      `content-length: ${bytes}`,
      'expect: 100-continue',
      'connection: close',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.once('data', () => socket.end())
    return (await text(socket)).slice('HTTP/1.1 '.length).slice(0, 3)
  }
  for (const { name, type, maxBytes } of uploadRoutes) {
    t.equal(await announce(name, type, maxBytes + 1), '413', `${name}: a byte too many`)
    t.equal(await announce(name, type, maxBytes), '100', `${name}: the most that it takes`)
  }
  t.same(
    uploadRoutes.filter(({ maxBytes }) => maxBytes > 80 * MB),
    [],
    'no route takes more than 80 MiB',
  )
  t.equal(Math.max(...uploadRoutes.map(({ maxBytes }) => maxBytes)), 80 * MB)
})

t.test("the proxy's body limit admits every upload that the API accepts", async (t) => {
  const config = await readFile(join(root, 'deploy/nginx.conf'), 'utf8')
  const units: Record<string, number> = { k: 1024, m: MB, g: 1024 * MB }
  for (const { name, maxBytes } of uploadRoutes) {
    const path = name.split(' ')[1]!
    const places = [...config.matchAll(/^ {8}location (\S+) \{\n([^}]*)\}/gm)]
    const [, , place] = places
      .filter(([, prefix]) => path.startsWith(prefix!))
      .sort(([, a], [, b]) => b!.length - a!.length)[0]!
    const [, number, unit] = /client_max_body_size (\d+)([kmg]?);/.exec(place!) ?? []
    const limit = Number(number) * (units[unit ?? ''] ?? 1)
    t.ok(limit === 0 || limit >= maxBytes, `${name}: ${number}${unit}`)
  }
})

t.test('an image with too many pixels is refused, and no image blocks the API', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const { ask } = await asAdmin(station)
  const segment = (code: number, ...content: number[]) => [0xff, code, 0, content.length + 2, ...content]
  const jpeg = (width: number, height: number, ...rest: (number[] | Buffer)[]) =>
    Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      Buffer.from(segment(0xc0, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0)),
      ...rest.map((part) => Buffer.from(part)),
      Buffer.from(segment(0xda, 1, 1, 0, 0, 63, 0)),
      Buffer.from([1, 0xff, 0xd9]),
    ])
  const put = (image: Buffer) =>
    ask('POST /api/admin/artist-arts/upload?artist=a', image, { 'content-type': 'image/jpeg' })
  t.match((await put(jpeg(65_000, 65_535))).body.error, { reason: 'image_large', en: /50 megapixels/ })
  t.equal((await put(jpeg(5_000, 10_000))).status, 200)
  const empty = Buffer.alloc(9 * MB, Buffer.from(segment(0xe1)))
  let answer = { status: 0, body: {} }
  const longestMs = await longestTurnMs(async () => {
    answer = await put(jpeg(10, 20, empty))
  })
  t.match(answer, { status: 400, body: { error: { reason: 'not_jpeg' } } })
  t.ok(longestMs < 200, `${longestMs.toFixed()} ms`)
})
