import { join } from 'node:path'
import { connect, readConfig } from '@solstice/adapters'
import { pino } from 'pino'
import t from 'tap'
import { queueStation, withLongTrack } from '../../../../tests/harness/air/queue-station.ts'
import { startRedis, temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { until } from '../../../../tests/harness/until.ts'
import { followPlan } from './plan.ts'

t.test(
  'the loudness that is due is known as soon as a track is measured, also while it is on air',
  async (t) => {
    const [folder, redis] = await Promise.all([temporaryFolder(t), startRedis(t)])
    const place = { DATA_DIR: join(folder, 'data'), MEDIA_DIR: join(folder, 'media') }
    const { config } = readConfig({ JWT_SECRET: 'x', REDIS_URL: redis.url, ...place })
    const ports = await connect(config, pino({ level: 'silent' }))
    const ending = new AbortController()
    t.teardown(async () => {
      ending.abort()
      await ports.close()
    })
    const lease = await ports.bus.acquireLease(ending.signal)
    await lease.save(withLongTrack(queueStation(), ports.clock.nowMs()))
    const plan = await followPlan(ports, ending.signal, 20)
    await until('the track is on air', () => Boolean(plan.now?.trackId))
    const { trackId, gainDb } = plan.now!
    t.equal(plan.now!.lufs, null)
    const sound = { peakDb: -1, isMono: true, startMs: 0, endMs: 1_000, size: 1, modifiedMs: 1 }
    await ports.data.measurements.insert({ trackId, lufs: -9, ...sound })
    await until('its loudness is known', () => plan.now?.lufs != null)
    t.ok(Math.abs(plan.now!.lufs! - gainDb + 12) < 0.1, 'played as two channels, one channel loses 3 dB')
    t.equal(plan.now!.trackId, trackId)
  },
)
