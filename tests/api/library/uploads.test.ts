import { readdir, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { openMedia, readConfig } from '@solstice/adapters'
import { pino } from 'pino'
import t from 'tap'
import { UPLOADS_PER_ACCOUNT } from '../../../apps/api/src/limits/upload-limit.ts'
import { usageOf } from '../../../tools/bench/usage.ts'
import { inForm } from '../../harness/long-form.ts'
import { SUPER_ADMIN } from '../../harness/people/admin.ts'
import { addUploaders, logIn, minuteOfFrames, uploadTrack } from '../../harness/people/uploads.ts'
import { prepareStation } from '../../harness/stations/station.ts'
import { useStores } from '../../harness/stations/stores.ts'

useStores('sql+cloud')

const MB = 1024 * 1024
const UPLOADS = 20
/** Together more than the memory that may be used. */
const MAX_BYTES = inForm({ short: 16, long: 80 }) * MB
const MAX_GROWTH_MB = 256

/** Names of the waiting uploads and of everything else in their folder. */
async function waiting(env: Record<string, string>): Promise<string[]> {
  const { config } = readConfig(env)
  if (!config.bucket) return (await readdir(join(config.mediaDir, '.staged/day'))).sort()
  const media = await openMedia(config, pino({ level: 'silent' }))
  const keys = await media.list('.staged/day')
  await media.close()
  return keys.map((key) => basename(key))
}

t.test('twenty large uploads at once do not accumulate in memory', async (t) => {
  const { bavail, bsize } = await statfs(tmpdir())
  // A small disk gets smaller files.
  const bytes = Math.min(MAX_BYTES, Math.floor((bavail * bsize) / UPLOADS / 2))
  if (bytes < MAX_BYTES) t.comment(`only ${Math.round(bytes / MB)} MB each: the disk is short`)
  const settings = { STREAM_MODE: 'false', ...SUPER_ADMIN }
  const station = await prepareStation(t, [], settings)
  const [api, piece] = await Promise.all([station.startApi(), minuteOfFrames(t), station.startWorker()])
  const { pid } = api.process.child
  const token = await logIn(api.url, SUPER_ADMIN.ADMIN_LOGIN, SUPER_ADMIN.ADMIN_PASS)
  const uploaders = await addUploaders(api.url, token, UPLOADS / UPLOADS_PER_ACCOUNT)
  const idleMb = (await usageOf(pid!)).rssKb / 1024

  let maxMb = idleMb
  const watching = setInterval(async () => {
    maxMb = Math.max(maxMb, (await usageOf(pid!)).rssKb / 1024)
  }, 100)
  t.teardown(() => clearInterval(watching))
  const names = Array.from({ length: UPLOADS }, (_, i) => `upload ${i}.mp3`)
  const by = (i: number) => uploaders[Math.floor(i / UPLOADS_PER_ACCOUNT)]!
  const answers = await Promise.all(names.map((name, i) => uploadTrack(api.url, by(i), name, piece, bytes)))
  clearInterval(watching)

  const refused = answers.filter(({ status }) => status !== 200)
  t.same(refused, [])
  const durations = answers.map(({ body }) => JSON.parse(body).metadata.duration as number)
  const expectedS = bytes / 40_000
  t.ok(
    durations.every((duration) => Math.abs(duration - expectedS) < 1),
    'every one is measured to its end',
  )
  t.same(await waiting(station.env), names.toSorted())
  t.comment(`idle ${Math.round(idleMb)} MB, at most ${Math.round(maxMb)} MB`)
  t.ok(maxMb - idleMb < MAX_GROWTH_MB, `${Math.round(maxMb - idleMb)} MB above idle`)
})
