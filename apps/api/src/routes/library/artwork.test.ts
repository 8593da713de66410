import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { failureBody, messages, xorWithToken } from '@solstice/contracts'
import { reconcileArtists } from '@solstice/station'
import t, { type Test } from 'tap'
import { asAdmin, SUPER_ADMIN } from '../../../../../tests/harness/people/admin.ts'
import { temporaryFolder } from '../../../../../tests/harness/processes/processes.ts'
import { openApp } from '../../../../../tests/harness/stations/app.ts'
import { refuseChanges } from '../../../../../tests/harness/stations/refuse-changes.ts'

const LIST = '/api/admin/artist-arts'
const JPEG = { 'content-type': 'image/jpeg' }
const upload = (artist: string) => `POST ${LIST}/upload?${new URLSearchParams({ artist })}`
const refused = (reason: string, field = 'body') => failureBody('BAD_REQUEST', { field, reason })

/** An image as an encoder writes it. */
async function draw(t: Test, width: number, height: number, colour = 'red'): Promise<Buffer> {
  const path = join(await temporaryFolder(t), 'image.jpg')
  const source = ['-f', 'lavfi', '-i', `color=${colour}:size=${width}x${height}`, '-frames:v', '1']
  await promisify(execFile)('ffmpeg', ['-loglevel', 'error', ...source, path])
  return readFile(path)
}

const segment = (code: number, content: number[] | Buffer) => {
  const head = Buffer.from([0xff, code, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, Buffer.from(content)])
}
const frame = (code: number, width: number, height: number) =>
  segment(code, [8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0])
const SOI = Buffer.from([0xff, 0xd8])
const EOI = Buffer.from([0xff, 0xd9])
const scan = Buffer.concat([segment(0xda, [1, 1, 0, 0, 63, 0]), Buffer.from([1, 0xff, 0, 2, 0xff, 0xd0, 3])])
const jpeg = (...parts: Buffer[]) => Buffer.concat([SOI, ...parts, EOI])

/** An Exif segment that says how the image is turned, with a thumbnail of another shape behind it. */
function exif(orientation: number, thumbnail: Uint8Array = Buffer.alloc(0)): Buffer {
  const tiff = Buffer.from(
    '4949 2a00 08000000 0100 1201 0300 01000000 0000 0000 00000000'.replaceAll(' ', ''),
    'hex',
  )
  tiff.writeUInt16LE(orientation, 18)
  return segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), tiff, thumbnail]))
}

t.test('an image is uploaded, shown to admins and listeners at once, and deleted', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const { ports, app, addTrack, passes } = station
  const { ask } = await asAdmin(station)
  await addTrack('day/a.mp3', null, { artist: 'AC/DC' })
  await addTrack('night/b.mp3', null, { artist: ' ac/dc ' })
  await addTrack('day/c.mp3', null, { artist: 'Björk' })
  await reconcileArtists(ports.data, ports.media)
  const bare = { hasArt: false, artFileName: '' }
  t.same((await ask(`GET ${LIST}`)).body, {
    items: [
      { artist: 'ac_dc', name: 'AC/DC', ...bare, modes: ['day', 'night'] },
      { artist: 'björk', name: 'Björk', ...bare, modes: ['day'] },
    ],
  })
  const { artToken } = passes()
  const link = () => app.inject({ url: '/api/art/url?artist=AC%2FDC', headers: { 'x-art-token': artToken } })
  t.equal((await link()).statusCode, 404)

  for (const image of [await draw(t, 300, 500), await draw(t, 310, 500, 'blue')]) {
    const item = {
      artist: 'ac_dc',
      name: 'AC/DC',
      hasArt: true,
      artFileName: 'ac_dc.jpg',
      modes: ['day', 'night'],
    }
    const answer = await ask(upload(' AC/DC '), image, JPEG)
    t.same(answer.body, { ok: true, item, message: messages.ART_SAVED })
    t.match((await ask(`GET ${LIST}`)).body.items[0], item)
    const file = await ask(`GET ${LIST}/file/ac_dc`)
    t.ok(file.bytes.equals(image))
    t.match(file.headers, { 'content-type': 'image/jpeg', 'cache-control': 'no-store' })
    t.equal((await link()).statusCode, 200)
    const wrapped = await app.inject({ url: '/api/artist-art/ac_dc', headers: { 'x-art-token': artToken } })
    t.ok(image.equals(xorWithToken(wrapped.rawPayload, artToken)), 'listeners get the same')
  }
  t.match(
    (await ask(upload('Nobody Yet'), await draw(t, 20, 30), JPEG)).body.item,
    { artist: 'nobody yet', name: 'nobody yet', modes: [] },
    'an artist without record gets one',
  )

  t.same((await ask(`DELETE ${LIST}/AC_DC`)).body, {
    ok: true,
    item: { artist: 'ac_dc', ...bare },
    message: messages.ART_DELETED,
  })
  t.equal((await link()).statusCode, 404)
  t.match((await ask(`GET ${LIST}`)).body.items[0], { artist: 'ac_dc', ...bare }, 'the artist stays')
  t.same(await ports.media.list('arts'), ['arts/nobody yet.jpg'])
  for (const method of ['DELETE', 'GET'])
    t.equal((await ask(`${method} ${LIST}/${method === 'GET' ? 'file/' : ''}ac_dc`)).status, 404)
  t.same(
    (await ports.data.audit.find()).map(({ operationType, data }) => [operationType, data]),
    [
      ['artist_art_upload', { artist: 'ac_dc' }],
      ['artist_art_upload', { artist: 'ac_dc' }],
      ['artist_art_upload', { artist: 'nobody yet' }],
      ['artist_art_delete', { artist: 'ac_dc' }],
    ],
  )
})

t.test('an image must be one complete JPEG in portrait orientation', async (t) => {
  const station = await openApp(t, { ...SUPER_ADMIN, MEDIA_STORAGE: 'local' })
  const { ports } = station
  const { ask } = await asAdmin(station)
  const real = await draw(t, 40, 60)
  const wide = await draw(t, 60, 40)
  const good: Record<string, Buffer> = {
    'from an encoder': real,
    progressive: jpeg(frame(0xc2, 20, 30), scan, segment(0xc4, [0]), scan),
    'with a wide thumbnail': jpeg(exif(1, wide), frame(0xc0, 20, 30), scan),
    'that Exif puts upright': jpeg(exif(6), frame(0xc0, 30, 20), scan),
    'with broken Exif': jpeg(
      segment(0xe1, Buffer.from('Exif\0\0II*\0\xff\xff\xff\xff', 'latin1')),
      frame(0xc0, 2, 3),
      scan,
    ),
    'with fill bytes before a marker': jpeg(Buffer.from([0xff]), frame(0xc0, 2, 3), scan),
  }
  const bad: Record<string, [Buffer, string]> = {
    nothing: [Buffer.alloc(0), 'empty_body'],
    'a wide one': [wide, 'not_portrait'],
    'a square one': [await draw(t, 40, 40), 'not_portrait'],
    'one that Exif lays down': [jpeg(exif(8), frame(0xc0, 20, 30), scan), 'not_portrait'],
    'a wide one with a high thumbnail': [jpeg(exif(1, real), frame(0xc0, 30, 20), scan), 'not_portrait'],
    'a PNG': [Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000208060000', 'hex'), 'not_jpeg'],
    text: [Buffer.from('<script>alert(1)</script>'), 'not_jpeg'],
    'start and end alone': [jpeg(), 'not_jpeg'],
    'no scan': [jpeg(frame(0xc0, 2, 3)), 'not_jpeg'],
    'no frame': [jpeg(scan), 'not_jpeg'],
    'two frames': [jpeg(frame(0xc0, 2, 3), frame(0xc0, 2, 3), scan), 'not_jpeg'],
    'a lossless one': [jpeg(frame(0xc3, 2, 3), scan), 'not_jpeg'],
    'one without height': [jpeg(frame(0xc0, 2, 0), scan), 'not_jpeg'],
    'one that is cut off': [real.subarray(0, -2), 'not_jpeg'],
    'one that is cut within a segment': [Buffer.concat([real.subarray(0, 30), EOI]), 'not_jpeg'],
    'one with something behind it': [Buffer.concat([real, Buffer.from('PK\x03\x04'), EOI]), 'not_jpeg'],
    'two in one': [Buffer.concat([real, real]), 'not_jpeg'],
    'a segment that is too short': [
      jpeg(Buffer.from([0xff, 0xe0, 0, 1]), frame(0xc0, 2, 3), scan),
      'not_jpeg',
    ],
  }
  for (const [what, image] of Object.entries(good))
    t.equal((await ask(upload('a'), image, JPEG)).status, 200, what)
  const before = await ask(`GET ${LIST}/file/a`)
  for (const [what, [image, reason]] of Object.entries(bad)) {
    const answer = await ask(upload('a'), image, JPEG)
    t.equal(answer.status, 400, what)
    t.same(answer.body, refused(reason), what)
  }
  for (let cut = 0; cut < real.length; cut += 7)
    t.equal((await ask(upload('a'), real.subarray(0, cut), JPEG)).status, 400, `its first ${cut} bytes`)
  t.ok((await ask(`GET ${LIST}/file/a`)).bytes.equals(before.bytes), 'what is refused changes nothing')

  t.same((await ask(upload('  '), real, JPEG)).body, refused('missing', 'artist'))
  t.same((await ask(`POST ${LIST}/upload`, real, JPEG)).body, refused('missing', 'artist'))
  t.same((await ask(upload('ї'.repeat(126)), real, JPEG)).body, refused('name_long', 'artist'))
  t.equal((await ask(upload('ї'.repeat(125)), real, JPEG)).status, 200, 'a file name has 255 bytes')
  t.equal((await ask(upload('x'.repeat(301)), real, JPEG)).status, 400)
  t.equal((await ask(upload('Wait..What'), real, JPEG)).status, 400, 'could not be asked for again')
  for (const type of ['image/png', 'image/webp', 'application/json'])
    t.same((await ask(upload('a'), real, { 'content-type': type })).body, refused('not_jpeg', 'content-type'))
  const large = jpeg(...Array<Buffer>(161).fill(segment(0xfe, Buffer.alloc(65_000))), frame(0xc0, 2, 3), scan)
  t.equal((await ask(upload('a'), large.subarray(-10_000_000), JPEG)).status, 400)
  t.equal((await ask(upload('a'), Buffer.concat([large, large]), JPEG)).status, 413)
  for (const name of ['x..y', '..%2fdata', '%2e%2e%5cx', 'a%00', '%252e%252e%2fx'])
    for (const path of [`DELETE ${LIST}/`, `GET ${LIST}/file/`]) {
      const { status } = await ask(path + name)
      t.ok(status === 400 || status === 404, `${path}${name}`)
    }
  t.same((await ports.data.artists.find()).map(({ artist }) => artist).sort(), ['a', 'ї'.repeat(125)])

  const takeChanges = await refuseChanges(ports, 'artists')
  t.match(await ask(upload('b'), real, JPEG), {
    status: 400,
    body: { error: { code: 'STORAGE_WRITE_FAILED' } },
  })
  await takeChanges()
  t.equal(await ports.media.stat('arts/b.jpg'), null, 'no image without a record')
})

t.test('access rights', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const image = await draw(t, 20, 30)
  const [arts, meta, nobody] = await Promise.all([
    asAdmin(station, ['artist_arts']),
    asAdmin(station, ['editor_meta']),
    asAdmin(station, ['upload_songs', 'stats']),
  ])
  t.equal((await arts.ask(upload('a'), image, JPEG)).status, 200)
  t.equal((await arts.ask(`GET ${LIST}`)).status, 200)
  t.equal((await arts.ask(`GET ${LIST}/file/a`)).status, 200)
  for (const { ask } of [meta, nobody]) {
    t.equal((await ask(`GET ${LIST}`)).status, 403)
    t.equal((await ask(`GET ${LIST}/file/a`)).status, 403)
    t.equal((await ask(upload('a'), image, JPEG)).status, 403)
  }
  t.equal((await nobody.ask(`DELETE ${LIST}/a`)).status, 403)
  t.equal((await meta.ask(`DELETE ${LIST}/a`)).status, 200)

  const fleeting = await openApp(t, { ...SUPER_ADMIN, EPHEMERAL_STORAGE: 'true' })
  const { ask } = await asAdmin(fleeting)
  for (const request of [`GET ${LIST}`, upload('a'), `DELETE ${LIST}/a`, `GET ${LIST}/file/a`])
    t.match((await ask(request)).body, { error: { code: 'FEATURE_UNAVAILABLE' } }, request)
})
