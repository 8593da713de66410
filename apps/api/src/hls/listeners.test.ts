import { openHlsListeners, openRedis } from '@solstice/adapters'
import { pino } from 'pino'
import t from 'tap'
import { startRedis, type Teardown } from '../../../../tests/harness/processes/processes.ts'
import { until } from '../../../../tests/harness/until.ts'
import { countPlaylistListeners } from './listeners.ts'

/** The counts of all replicas, at a time that is a number. */
async function openStore(t: Teardown, nowMs: () => number) {
  const server = await startRedis(t)
  const redis = await openRedis(server.url, pino({ level: 'silent' }), true)
  t.teardown(() => redis.disconnect())
  const store = openHlsListeners(redis, { nowMs })
  return (options: { maxListeners?: number } = {}) => {
    const counted = countPlaylistListeners(['mp3-128', 'aac-64'], store, { paceMs: 5, ...options })
    t.teardown(() => counted.close())
    return counted
  }
}

t.test('a listener counts once at all replicas, by the mount that it asked for last', async (t) => {
  let nowMs = 1_000_000
  const open = await openStore(t, () => nowMs)
  const [one, two] = [open(), open()]
  const asker = (listener: string | undefined, address = '203.0.113.1', agent?: string) => ({
    ...{ listener, address, agent },
  })
  const told = (mp3: number, aac: number) =>
    until(`both count ${mp3} and ${aac}`, () =>
      [one, two].every((each) => each.of('mp3-128') === mp3 && each.of('aac-64') === aac),
    )

  one.seen('mp3-128', asker('a'))
  two.seen('mp3-128', asker('a'))
  two.seen('aac-64', asker('b'))
  one.seen('aac-64', asker('b', '203.0.113.2'))
  one.seen('aac-64', asker(undefined, '203.0.113.2', 'another player'))
  await told(1, 3)
  t.equal(one.size, 4)

  one.seen('aac-64', asker('a'))
  await told(0, 4)

  nowMs += 29_000
  two.seen('mp3-128', asker('b'))
  await told(0, 4)
  nowMs += 2_000
  await told(1, 0)
})

t.test('an address is a thousand listeners at most, and a replica counts so many and no more', async (t) => {
  const open = await openStore(t, () => 1_000_000)
  const counted = open({ maxListeners: 1_002 })
  const see = (mount: 'mp3-128' | 'aac-64', listener: string, address: string) =>
    counted.seen(mount, { listener, address, agent: 'a player' })
  for (let i = 0; i <= 1_000; i++) see(i % 2 ? 'aac-64' : 'mp3-128', `${i}`, '203.0.113.1')
  await until('a thousand of an address, of all mounts', () => counted.size === 1_000)
  for (const last of [2, 3, 4]) see('mp3-128', 'me', `203.0.113.${last}`)
  await until('those of other addresses', () => counted.size === 1_002)
  see('aac-64', '0', '203.0.113.1')
  await until('who is counted may change', () => counted.of('aac-64') === 501)
  t.equal(counted.size, 1_002, 'and nobody took his place')
})
