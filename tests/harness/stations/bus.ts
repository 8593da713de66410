import { pino } from 'pino'
import { openRedisBus } from '../../../packages/adapters/src/air/bus.ts'
import type { RedisAddress } from '../../../packages/adapters/src/config/servers/addresses.ts'
import { openStationClock } from '../../../packages/adapters/src/redis/clock/station-clock.ts'
import { openRedis } from '../../../packages/adapters/src/redis/connection.ts'
import type { Teardown } from '../processes/processes.ts'

/**
 * A connection to a station's Redis, with its clock and bus, as each process has one. It closes with the test or on
 * request; `stop` ends every read from the bus.
 */
export async function openBus(t: Teardown, address: RedisAddress) {
  const log = pino({ level: 'silent' })
  const redis = await openRedis(address, log, true)
  const clock = await openStationClock(redis)
  const bus = openRedisBus(redis, clock, log)
  const stop = new AbortController()
  const leave = async () => {
    stop.abort()
    await bus.close()
    clock.stop()
    redis.disconnect()
  }
  t.teardown(leave)
  return { redis, clock, bus, stop, leave }
}
