import { coverSizes, failureBody } from '@solstice/contracts'
import { schedulePictures } from '@solstice/station'
import t from 'tap'
import { makePicture, webpSize, withCover } from '../../harness/audio/pictures.ts'
import { asAdmin } from '../../harness/people/admin.ts'
import { LOCAL, openStation, tone } from '../../harness/people/upload-station.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startJobs } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'
import { names, openStation as openOnAir } from './editor-station.ts'

useStores('sql+cloud')

const blue = await makePicture({ width: 600, height: 500, color: '0x2050c0' })
const red = await makePicture({ width: 90, height: 90, color: '0xc02020', type: 'png' })

type UploadStation = Awaited<ReturnType<typeof openStation>>

async function add({ upload, commit }: UploadStation, name: string, bytes: Buffer): Promise<string> {
  t.equal((await upload(`${name}.mp3`, bytes)).status, 200)
  const { status, body } = await commit({ filename: `${name}.mp3`, mode: 'day', title: name })
  t.equal(status, 200)
  return body.track.id
}

/** The covers of these tracks, as soon as all were looked at. */
async function lookedAt({ ports }: Pick<UploadStation, 'ports'>, ids: string[]) {
  const { trackCovers } = ports.data
  const known = async () => Promise.all(ids.map((id) => trackCovers.get(id)))
  await until('the covers are read', async () => (await known()).every((one) => one !== null))
  return (await known()).map((one) => one!.coverId)
}

t.test('the cover of an uploaded file is served in all sizes to everybody, for ever', async (t) => {
  const station = await openStation(t)
  await startJobs(t, station.ports)
  const id = await add(station, 'one', withCover(tone, blue))
  const [cover] = await lookedAt(station, [id])
  t.match(cover, /^[0-9a-f]{32}$/)

  for (const size of coverSizes) {
    const reply = await station.app.inject({
      url: `/api/covers/${cover}/${size}.webp`,
      headers: { origin: 'https://elsewhere.example' },
    })
    t.equal(reply.statusCode, 200)
    const side = Math.min(size, 500)
    t.same(webpSize(reply.rawPayload), [side, side], 'never larger than the picture')
    t.match(reply.headers, {
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    t.equal(reply.headers['access-control-allow-credentials'], undefined)
    const again = await station.app.inject({
      url: `/api/covers/${cover}/${size}.webp`,
      headers: { 'if-none-match': String(reply.headers.etag) },
    })
    t.same([again.statusCode, again.rawPayload.length], [304, 0])
  }
})

t.test('lists are told which covers their tracks have', async (t) => {
  const { app, ports } = await openStation(t, LOCAL)
  const [one, two, plain] = ['day/one.mp3', 'night/two.mp3', 'day/plain.mp3'] as const
  const cover = 'c'.repeat(32)
  const known = { size: 1, modifiedMs: 1 }
  await ports.data.trackCovers.put({ trackId: one, ...known, coverId: cover })
  await ports.data.trackCovers.put({ trackId: two, ...known, coverId: cover })
  await ports.data.trackCovers.put({ trackId: plain, ...known, coverId: null })
  const ask = (tracks: unknown) => app.inject({ method: 'POST', url: '/api/covers', payload: { tracks } })
  const { statusCode, body } = await ask([two, plain, 'day/unknown.mp3', one, two])
  t.same([statusCode, JSON.parse(body)], [200, { covers: [cover, null, null, cover, cover] }])
  for (const tracks of [[], Array(21).fill(one), ['x'.repeat(600)], [7], one, undefined])
    t.equal((await ask(tracks)).statusCode, 400, JSON.stringify(tracks))
})

t.test('there is no other cover, size or form', async (t) => {
  const { app } = await openStation(t, LOCAL)
  const id = 'a'.repeat(32)
  const statusOf = async (url: string) => (await app.inject({ url })).statusCode
  t.equal(await statusOf(`/api/covers/${id}/96.webp`), 404)
  t.same((await app.inject({ url: `/api/covers/${id}/96.webp` })).json(), failureBody('NOT_FOUND'))
  for (const path of [
    `${id}/97.webp`,
    `${id}/0.webp`,
    `${'A'.repeat(32)}/96.webp`,
    'a/96.webp',
    '..%2f..%2fx/96.webp',
  ])
    t.equal(await statusOf(`/api/covers/${path}`), 400, path)
  for (const path of [`${id}/96`, `${id}/96.jpg`, `${id}`])
    t.equal(await statusOf(`/api/covers/${path}`), 404, path)
})

t.test('tracks share a cover; it moves with them, and goes with the last of them', async (t) => {
  const station = await openOnAir(t, names(20))
  const { ports, app } = station
  const { ask } = await asAdmin(station)
  const [first, second] = station.free() as [string, string]
  const other = 'night/other.mp3'
  await station.addTrack(other, withCover(tone, red))
  for (const id of [first, second]) await ports.media.put(id, withCover(tone, blue))
  // They may have been looked at before.
  await ports.data.trackCovers.delete(() => true)
  schedulePictures(ports)
  const [cover, same, red1] = await lookedAt(station, [first, second, other])
  t.equal(same, cover)
  t.not(red1, cover)
  const files = () => ports.media.list('covers')
  const ofCover = ['256', '512', '96'].map((size) => `covers/${cover}.${size}.webp`)
  t.same(await files(), [...ofCover, `covers/${red1}.96.webp`].sort())

  const moved = await ask('POST /api/admin/song-editor/batch-move', {
    songIds: [second],
    targetMode: 'night',
  })
  const [{ newId }] = moved.body.results
  t.equal((await ports.data.trackCovers.get(newId))?.coverId, cover)
  t.equal(await ports.data.trackCovers.get(second), null)

  const remove = (...songIds: string[]) => ask('POST /api/admin/song-editor/batch-delete', { songIds })
  t.match((await remove(first, other)).body, { results: [{ ok: true }, { ok: true }] })
  await until('the cover of no track is deleted', async () => (await files()).length === 3)
  t.same(await files(), ofCover)
  t.equal((await app.inject({ url: `/api/covers/${cover}/96.webp` })).statusCode, 200)

  t.match((await remove(newId)).body, { results: [{ ok: true }] })
  await until('the shared one as well', async () => (await ports.data.covers.find()).length === 0)
  t.same(await files(), [])
  t.equal((await app.inject({ url: `/api/covers/${cover}/96.webp` })).statusCode, 404)
})

t.test('a picture that cannot be shown is no cover, and fails nothing', async (t) => {
  const station = await openStation(t, LOCAL)
  await startJobs(t, station.ports)
  const hostile = {
    svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    cut: blue.subarray(0, 200),
    noise: Buffer.alloc(100_000, 'noise'),
    empty: Buffer.alloc(0),
  }
  const ids: string[] = []
  for (const [name, picture] of Object.entries(hostile))
    ids.push(await add(station, name, withCover(tone, picture)))
  const good = await add(station, 'good', withCover(tone, red))
  t.same(await lookedAt(station, ids), [null, null, null, null])
  t.match(await lookedAt(station, [good]), [/^[0-9a-f]{32}$/])
  t.equal((await station.ports.data.covers.find()).length, 1)
})
