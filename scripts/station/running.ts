import { join } from 'node:path'
import { openRedisBus } from '../../packages/adapters/src/air/bus.ts'
import { reachRedis, readClusterStatus } from '../../packages/adapters/src/air/cluster-status.ts'
import type { Config } from '../../packages/adapters/src/config/config.ts'
import { type RedisAddress, shownAddress } from '../../packages/adapters/src/config/servers/addresses.ts'
import { openStationClock } from '../../packages/adapters/src/redis/clock/station-clock.ts'
import { openRedis } from '../../packages/adapters/src/redis/connection.ts'
import { runningRedis } from '../start/own-redis.ts'
import { silent } from './configuration.ts'
import { Refusal } from './terminal.ts'

/** The Redis of a station: the operator's, or the one that `npm start` currently runs. */
export async function redisOf(config: Pick<Config, 'redis' | 'dataDir'>): Promise<RedisAddress> {
  if (isChosen()) return config.redis
  return (await runningRedis(join(config.dataDir, 'redis'))) ?? config.redis
}

/**
 * Makes sure that no process writes to a station's data during the command.
 *
 * @param dataDirs folders whose own Redis is checked as well.
 * @throws Refusal when some of its processes run, or when that cannot be determined.
 */
export async function refuseWhileRunning(
  config: Pick<Config, 'redis' | 'dataDir'>,
  dataDirs: string[],
): Promise<void> {
  const own = await Promise.all(dataDirs.map((dataDir) => runningRedis(join(dataDir, 'redis'))))
  const urls = new Set([await redisOf(config), ...own.filter((url) => url !== null)])
  for (const url of urls) {
    const host = shownAddress(url)
    const isRunning = await runs(url)
    if (isRunning)
      throw new Refusal(`the station is running (its Redis is ${host}); stop it first, or use --force`)
    if (isRunning === null && isChosen())
      throw new Refusal(
        `Redis (${host}) does not answer, so the station may be running; --force continues anyway`,
      )
  }
}

/** True when the station runs or may run: the operator's Redis cannot rule it out. */
export async function mayRun(config: Pick<Config, 'redis' | 'dataDir'>): Promise<boolean> {
  return (await runs(await redisOf(config))) ?? isChosen()
}

/** True when processes of a station run; null when its Redis does not answer. */
async function runs(address: RedisAddress): Promise<boolean | null> {
  const redis = await reachRedis(address)
  if (!redis) return null
  try {
    const { isOnAir, replicas, jobs } = await readClusterStatus(redis)
    return isOnAir || replicas > 0 || jobs > 0
  } finally {
    redis.disconnect()
  }
}

/** Time by the station's clock, ms; without a Redis, by this machine's clock. */
export async function stationNow(config: Pick<Config, 'redis' | 'dataDir'>): Promise<number> {
  const redis = await reachRedis(await redisOf(config))
  if (!redis) return Date.now()
  try {
    const clock = await openStationClock(redis)
    clock.stop()
    return clock.nowMs()
  } finally {
    redis.disconnect()
  }
}

/** Connects to the air of a station whose Redis answers. */
export async function connectAir(address: RedisAddress) {
  const redis = await openRedis(address, silent, true)
  const clock = await openStationClock(redis)
  const bus = openRedisBus(redis, clock, silent)
  return {
    redis,
    clock,
    bus,
    async close() {
      await bus.close()
      clock.stop()
      redis.disconnect()
    },
  }
}

const isChosen = () => Boolean(process.env.REDIS_URL?.trim() || process.env.REDIS_SENTINELS?.trim())
