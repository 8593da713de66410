import { type HlsListeners, openHlsListeners, openRedis } from '@solstice/adapters'
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
  const shared = openHlsListeners(redis, { nowMs })
  const told = { refused: 0 }
  const store: HlsListeners = {
    note: (...news) =>
      shared.note(...news).catch((error) => {
        told.refused++
        throw error
      }),
  }
  const open = (options: { maxListeners?: number } = {}) => {
    const counted = countPlaylistListeners(['mp3-128', 'aac-64'], store, { paceMs: 5, nowMs, ...options })
    t.teardown(() => counted.close())
    return counted
  }
  return { server, told, open }
}

t.test('a listener counts once at all replicas, by the mount that it asked for last', async (t) => {
  let nowMs = 1_000_000
  const { open } = await openStore(t, () => nowMs)
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
  const { open } = await openStore(t, () => 1_000_000)
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

t.test('an address has its room again 30 s after a player of it asked last', async (t) => {
  let nowMs = 1_000_000
  const { open } = await openStore(t, () => nowMs)
  const counted = open()
  const see = (listener: string) =>
    counted.seen('aac-64', { listener, address: '203.0.113.1', agent: 'a player' })
  for (let i = 0; i < 1_000; i++) see(`${i}`)
  await until('they are counted', () => counted.size === 1_000)
  nowMs += 20_000
  see('0')
  see('one too many')
  nowMs += 10_001
  await until('those who left are forgotten, and nobody took their place', () => counted.size === 1)
  await until('as many as there is room for', () => {
    for (let i = 0; i < 1_000; i++) see(`new ${i}`)
    return counted.size === 1_000
  })
})

t.test('while the store is away the last counts stay, and go on when it is back', async (t) => {
  const { open, server, told } = await openStore(t, () => 1_000_000)
  const counted = open()
  const see = (mount: 'mp3-128' | 'aac-64', listener: string) =>
    counted.seen(mount, { listener, address: '203.0.113.1', agent: 'a player' })
  see('mp3-128', 'a')
  see('aac-64', 'b')
  see('aac-64', 'c')
  await until('they are counted', () => counted.of('mp3-128') === 1 && counted.of('aac-64') === 2)
  await server.process.end()
  const before = told.refused
  await until('it refused the news of both mounts, twice', () => told.refused >= before + 4)
  t.equal(counted.of('mp3-128'), 1)
  t.equal(counted.of('aac-64'), 2)
  await server.restart()
  await until('whoever asks is counted', () => {
    for (const listener of ['a', 'd', 'e']) see('mp3-128', listener)
    return counted.of('mp3-128') === 3
  })
})

t.test('who changes his mount while the store is away counts once when it is back', async (t) => {
  const kept = { 'mp3-128': new Set<string>(), 'aac-64': new Set<string>() }
  const refused: string[] = []
  let isAway = false
  const store: HlsListeners = {
    async note(mount, seen, left) {
      if (isAway) throw new Error(String(refused.push(mount)))
      const listeners = kept[mount as keyof typeof kept]
      for (const one of seen) listeners.add(one)
      for (const one of left) listeners.delete(one)
      return listeners.size
    },
  }
  const counted = countPlaylistListeners(['mp3-128', 'aac-64'], store, { paceMs: 5, nowMs: () => 1_000_000 })
  t.teardown(() => counted.close())
  const see = (mount: 'mp3-128' | 'aac-64', listener: string) =>
    counted.seen(mount, { listener, address: '203.0.113.1', agent: 'a player' })
  see('mp3-128', 'a')
  see('mp3-128', 'b')
  await until('they are counted', () => counted.of('mp3-128') === 2)
  isAway = true
  see('aac-64', 'a')
  see('aac-64', 'b')
  await until('their news are refused', () => refused.length >= 2)
  see('mp3-128', 'b')
  await until('it is refused again', () => refused.length >= 6)
  isAway = false
  see('aac-64', 'a')
  await until('the one that went', () => counted.of('aac-64') === 1)
  await until('and the one that came back', () => counted.of('mp3-128') === 1)
  t.equal(counted.size, 2)
})
