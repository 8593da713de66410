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
