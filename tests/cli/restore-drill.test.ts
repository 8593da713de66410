import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { collectionNames, listMedia, readSettings } from '@solstice/station'
import t, { type Test } from 'tap'
import { makeTone } from '../harness/audio/audio.ts'
import { ledgerOf, pendingDonation } from '../harness/donations/orders.ts'
import { inForm } from '../harness/long-form.ts'
import { asAdmin, SUPER_ADMIN } from '../harness/people/admin.ts'
import { dataSettings } from '../harness/servers/postgres.ts'
import { mediaSettings } from '../harness/servers/s3.ts'
import { openApp } from '../harness/stations/app.ts'
import { startAir, startJobs } from '../harness/stations/workers.ts'
import { digests, ended, freshPlace, type Place, withData, withMedia } from './places.ts'

/** Each kind of data store with each kind of storage. */
const pairs = inForm({
  short: [['sql', 'cloud']],
  long: [
    ['sql', 'cloud'],
    ['sql', 'local'],
    ['json', 'cloud'],
    ['json', 'local'],
  ],
}) as [data: string, media: string][]
const SONGS = ['day/Ти & я + 100%.mp3', 'day/b.mp3', 'day/c.mp3'].sort()
const SONG_S = 2
const HELPER = { login: 'Оксана', password: 'Temporary1' }
const ARTIST_ARTS = { dayEnabled: false }
/** A station on air goes on writing into these. */
const moving = ['history', 'audit', 'sessions', 'sessionCuts', 'measurements', 'waveforms']

for (const pair of pairs)
  t.test(`a backup made on air is restored to another machine: ${pair.join(' and ')}`, (t) =>
    drill(t, ...pair),
  )

async function drill(t: Test, ...stores: [data: string, media: string]): Promise<void> {
  const [place, other] = [await machine(t, ...stores), await machine(t, ...stores)]
  const { station, air } = await openOnAir(t, place)
  const { ask } = await asAdmin(station)
  const before = await kept(place)

  const archive = join(place.folder, 'on air.tar.gz')
  const said = await ended(t, 0, place, 'backup', archive, '--media')
  t.match(said, /3 files[\s\S]*was, or may have been, running/)
  const download = await ask('GET /api/admin/backup?media=true')
  const downloaded = join(place.folder, 'downloaded.tar.gz')
  await writeFile(downloaded, download.bytes)
  const { history } = await withData(place, async (data) => ({ history: await data.history.find() }))
  const { serial } = air.state
  await air.until((state) => state.serial > serial && state.onAir.phase === 'track')

  for (const args of [[archive], [downloaded, '--replace']]) {
    await ended(t, 0, other, 'restore', ...args)
    t.same(await kept(other), before, `the same records and files from ${basename(args[0]!)}`)
  }
  const restored = await withData(other, (data) => data.history.find())
  t.ok(restored.length > 0, 'songs played by then are in the history')
  t.same(restored, history.slice(0, restored.length))
  await worksAsBefore(t, other)
}

/** Folders, and a database or bucket where the stores need one, of a machine of its own. */
async function machine(t: Test, data: string, media: string): Promise<Place> {
  Object.assign(process.env, { TEST_DATA: data, TEST_MEDIA: media })
  const place = await freshPlace(t)
  const stores = { ...(await dataSettings(place.folder, {})), ...(await mediaSettings(place.folder, {})) }
  Object.assign(place.env, stores)
  return place
}

async function openStation(t: Test, place: Place) {
  const { REDIS_URL: _, ...env } = place.env
  const settings = { NIGHT_MODE: 'false', STREAM_MODE: 'false', JWT_SECRET: 'of the operator' }
  const station = await openApp(t, { ...env, ...settings, ...SUPER_ADMIN })
  place.env.REDIS_URL = station.redis.url
  return station
}

/** A station that has played a song, with something of everything that an operator would miss. */
async function openOnAir(t: Test, place: Place) {
  const station = await openStation(t, place)
  const { ports, addTrack } = station
  for (const [i, id] of SONGS.entries()) {
    const path = join(place.folder, `${i}.mp3`)
    await makeTone(path, { hz: 300 + 100 * i, seconds: SONG_S })
    await addTrack(id, await readFile(path), { duration: SONG_S, artist: 'Hilda' })
  }
  const { ask } = await asAdmin(station)
  const saved = await ask('POST /api/admin/settings', { artistArts: ARTIST_ARTS })
  t.match(saved, { status: 200 })
  const made = await ask('POST /api/admin/admins', { ...HELPER, privileges: ['stats'] })
  t.match(made, { body: { admin: { login: HELPER.login } } })
  await ports.data.donations.insert(pendingDonation('d1', { songId: SONGS[0]! }))
  await ports.data.ledger.insert({ donationId: 'd1', event: 'created', onceKey: 'd1', atMs: 1, note: '' })

  await startJobs(t, ports)
  const air = await startAir(t, ports)
  while ((await ports.data.history.find()).length === 0) {
    const { serial } = air.state
    await air.until((state) => state.serial > serial)
  }
  return { station, air }
}

/** Digests of the records that stay as they are on air, and of all files. */
async function kept(place: Place) {
  const all = await digests(place)
  const records = collectionNames.filter((name) => !moving.includes(name)).map((name) => [name, all[name]])
  const files = await withMedia(place, async (media) =>
    Promise.all(
      (await listMedia(media)).sort().map(async (key) => {
        const bytes = await buffer(await media.open(key))
        return [key, createHash('sha256').update(bytes).digest('hex')]
      }),
    ),
  )
  return { records: Object.fromEntries(records), files: Object.fromEntries(files) }
}

/** Starts the restored station: its songs are on air, and its people and orders are known. */
async function worksAsBefore(t: Test, place: Place): Promise<void> {
  const station = await openStation(t, place)
  const { app, ports } = station
  const login = await app.inject({ method: 'POST', url: '/api/admin/login', payload: HELPER })
  t.equal(login.statusCode, 200, 'the helper logs in with the same password')
  t.match(await readSettings(ports.data), { artistArts: ARTIST_ARTS })
  t.match(await ports.data.donations.find(), [{ id: 'd1', status: 'pending' }])
  t.match(await ledgerOf(ports.data, 'd1'), [{ event: 'created' }])
  const { state } = await startAir(t, ports)
  const queued = new Set(state.playlist.entries.map(({ track }) => track.id))
  t.same([...queued].sort(), SONGS, 'its playlist has the same songs')
}
