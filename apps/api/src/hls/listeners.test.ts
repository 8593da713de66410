import { openHlsListeners, openRedis } from '@solstice/adapters'
import { pino } from 'pino'
import t from 'tap'
import { startRedis } from '../../../../tests/harness/processes/processes.ts'
import { until } from '../../../../tests/harness/until.ts'
import { countPlaylistListeners } from './listeners.ts'

t.test('a listener counts once at all replicas, by the mount that it asked for last', async (t) => {
  const server = await startRedis(t)
  const redis = await openRedis(server.url, pino({ level: 'silent' }), true)
  t.teardown(() => redis.disconnect())
  let nowMs = 1_000_000
  const store = openHlsListeners(redis, { nowMs: () => nowMs })
  const open = () => {
    const counted = countPlaylistListeners(['mp3-128', 'aac-64'], store, { paceMs: 5 })
    t.teardown(() => counted.close())
    return counted
  }
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
