import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { clipMedia } from '@solstice/station'
import { pino } from 'pino'
import { openRedis } from '../../../packages/adapters/src/redis/connection.ts'
import { makeTone } from '../audio/audio.ts'
import { root, type Teardown } from '../processes/processes.ts'
import type { Station } from './station.ts'

type Bytes = string | { base64: string }

type Key = { key: string; expiresInMs?: number } & (
  | { type: 'string'; value: Bytes }
  | { type: 'set'; value: Bytes[] }
  | { type: 'hash'; value: [field: string, value: Bytes][] }
  | { type: 'zset'; value: string[] }
  | { type: 'stream'; value: [id: string, fields: Bytes[]][] }
)

/** Facts that clients of the station learnt before it stopped. */
export interface Known {
  queue: { items: { id: string; orderType: string | null }[]; total: number }
  sync: { track: string; seek: number; serverTimeMs: number }
  /** The order whose payment had arrived. */
  order: { donationId: string }
  /** The order that was still unpaid. */
  another: { donationId: string }
  /** Number of a frame that was on air. */
  frame: string
}

/** Replaces a station's records and Redis with those that a station of `version` left behind, as of half a second ago. */
export async function takeUpFrom(t: Teardown, version: string, station: Station): Promise<Known> {
  const folder = join(root, 'tests/fixtures', version)
  const { DATA_DIR, MEDIA_DIR } = station.env as { DATA_DIR: string; MEDIA_DIR: string }
  await rm(DATA_DIR, { recursive: true })
  await cp(join(folder, 'data'), DATA_DIR, { recursive: true })
  const data = await station.openData()
  for (const clip of await data.clips.find()) {
    await makeTone(join(MEDIA_DIR, clipMedia(clip)), { hz: 300, seconds: clip.duration ?? 1 })
  }
  await data.close()

  const redis = await openRedis(station.redis.url, pino({ level: 'silent' }), true)
  t.teardown(() => redis.disconnect())
  const keys = JSON.parse(await readFile(join(folder, 'redis.json'), 'utf8')) as Key[]
  await redis.flushall()
  for (const key of keys) await write(redis, key)
  const [seconds, microseconds] = await redis.time()
  const wallMs = Number(seconds) * 1000 + Number(microseconds) / 1000
  // Continues the station clock from where it stopped, as if the wall clock had been set by the time in between.
  await redis.del('solstice:clock-anchor')
  const aheadMs = Number(await redis.get('solstice:alive')) + 500 - wallMs
  await redis.set('solstice:clock-correction', aheadMs.toFixed(3))
  return JSON.parse(await readFile(join(folder, 'known.json'), 'utf8')) as Known
}

const bytes = (value: Bytes) => (typeof value === 'string' ? value : Buffer.from(value.base64, 'base64'))

async function write(redis: Awaited<ReturnType<typeof openRedis>>, key: Key): Promise<void> {
  switch (key.type) {
    case 'string':
      await redis.set(key.key, bytes(key.value))
      break
    case 'set':
      await redis.sadd(key.key, ...key.value.map(bytes))
      break
    case 'hash':
      await redis.hset(key.key, ...key.value.flatMap(([field, value]) => [field, bytes(value)]))
      break
    case 'zset':
      for (let i = 0; i < key.value.length; i += 2)
        await redis.zadd(key.key, key.value[i + 1]!, key.value[i]!)
      break
    case 'stream':
      for (const [id, fields] of key.value) await redis.xadd(key.key, id, ...fields.map(bytes))
  }
  if (key.expiresInMs) await redis.pexpire(key.key, key.expiresInMs)
}
