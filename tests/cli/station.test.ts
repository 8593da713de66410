import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { reachRedis, readClusterStatus } from '@solstice/adapters'
import t from 'tap'
import { start } from '../harness/processes/processes.ts'
import { programOf } from '../harness/processes/programs.ts'
import { until } from '../harness/until.ts'
import { ended, fill, freshPlace, program, redis, SECRET } from './places.ts'

t.test('status, ledger, hashes and help', async (t) => {
  const place = await freshPlace(t, { TIME_ZONE: 'Europe/Kyiv' })
  await fill(place)
  const ledger = await ended(t, 0, place, 'ledger', 'd1')
  t.match(
    ledger,
    /2026-01-02 00:00:00 \+02:00 {2}created[\s\S]*2026-07-02 01:00:00 \+03:00 {2}claimed +matching_provider_1 r1/,
  )
  t.match(await ended(t, 0, place, 'ledger', 'unknown'), /names_no_order: matching_provider_2 r2, 5.00 USD/)
  const mistaken = { ...place, env: { ...place.env, DATA_PROVIDER: 'postgres' } }
  t.match(
    await ended(t, 1, mistaken, 'ledger', 'nobody'),
    /DATA_PROVIDER: "postgres" is not one of[\s\S]*there is no donation nobody/,
  )

  await mkdir(dirname(join(place.env.MEDIA_DIR!, 'music/day/x.mp3')), { recursive: true })
  await writeFile(join(place.env.MEDIA_DIR!, 'music/day/x.mp3'), '')
  const secret = { JWT_SECRET: 'only for this test', LYRICS_API_URL: '', HOST: '127.0.0.1', PORT: '0' }
  const api = start(t, process.execPath, [await programOf('apps/api/src/main.ts')], {
    ...place.env,
    ...secret,
  })
  await api.printed(/Server listening/)
  const asked = (await reachRedis(redis.url))!
  t.teardown(() => asked.disconnect())
  await until('the replica is known', async () => (await readClusterStatus(asked)).replicas > 0)
  const printed = await ended(t, 1, place, 'status', '--json')
  const status = JSON.parse(printed.slice(0, printed.lastIndexOf('}') + 1))
  t.match(status, {
    away: ['air', 'jobs'],
    data: { records: { tracks: 3, history: 3, admins: 1 } },
    media: { files: 1, filesWithoutRecord: ['day/x.mp3'] },
    redis: { answers: true },
    processes: { replicas: 1, workersOnAir: 0, workersStandingBy: 0, jobs: 0 },
  })
  t.equal(status.media.recordsWithoutFile.length, 4)
  await api.end()

  const hashing = start(t, 'sh', [
    '-c',
    `echo '${SECRET}' | "$0" "$1" hash-password`,
    process.execPath,
    program,
  ])
  t.equal(await hashing.exited, 0, hashing.output)
  t.match(hashing.output, /^\$argon2id\$v=19\$\S+\n$/)
  t.match(await ended(t, 0, place, 'restore', '--help'), /restore <file\.tar\.gz>/)
  t.match(await ended(t, 2, place, 'scan', '--nonsense'), /--nonsense/)
})

t.test('a time is one word or two, and the usage shows its forms', async (t) => {
  const place = await freshPlace(t)
  const forms = /Times are in TIME_ZONE: 14:32 .*"2026-11-23 14:32:10".*T14:32:10Z/
  for (const name of ['why', 'replay', 'report']) t.match(await ended(t, 0, place, name, '--help'), forms)
  for (const words of [[], ['2026-11-28', 'noon'], ['14:32', '15:32']]) {
    const refused = await ended(t, 2, place, 'why', ...words)
    t.match(refused, /^usage: why <time>\. Times are .*\n$/)
    t.match(refused, forms)
  }
  const times = ['14:32', '2026-11-28 21:58:00', '2026-11-28T21:58', '2026-11-28 21:58:00 +02:00']
  for (const time of times)
    t.match(await ended(t, 1, place, 'why', ...time.split(' ')), /^there is no logbook/, time)
  const span = ['--from', '2026-11-28', '21:00', '--to=2026-11-28', '22:00']
  t.match(await ended(t, 1, place, 'replay', ...span), /^there is no logbook/)
  t.match(await ended(t, 1, place, 'report', ...span, 'report.gz'), /^there is no logbook/)
})
