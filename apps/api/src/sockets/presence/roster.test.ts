import { randomUUID } from 'node:crypto'
import { openReplicaLink, ROSTER_CHANNEL } from '@solstice/adapters'
import { SUPER_ADMIN_ID, sleep } from '@solstice/station'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { startRedis } from '../../../../../tests/harness/processes/processes.ts'
import { until } from '../../../../../tests/harness/until.ts'
import { aliases } from './aliases.ts'
import { createRoster } from './roster.ts'

const server = await startRedis(t)
const main = new Redis(server.url)
t.teardown(() => main.disconnect())

/** The roster of a replica that can die without a word. */
async function open(
  t: Test,
  options: {
    limit: number
    heartbeatMs?: number
    forgetAfterMs?: number
    isLive?: (socketId: string) => boolean
  },
) {
  const link = await openReplicaLink(main, pino({ level: 'silent' }))
  const heard: boolean[] = []
  const roster = createRoster({
    channel: link.channel(ROSTER_CHANNEL),
    aliases,
    nowMs: Date.now,
    isLive: () => false,
    onChange() {},
    onAdminOnline: (isOnline) => heard.push(isOnline),
    heartbeatMs: 100,
    ...options,
  })
  t.teardown(() => {
    roster.close()
    return link.close()
  })
  return { roster, heard, die: () => link.close() }
}

t.test('an admin whose replica dies is removed, even without a last message', async (t) => {
  const here = await open(t, { limit: 2, forgetAfterMs: 2_000 })
  const there = await open(t, { limit: 2, forgetAfterMs: 2_000 })
  const isOnline = (value: boolean) =>
    until(`somebody is online: ${value}`, () => here.heard.at(-1) === value)
  const slots = Array.from({ length: 4 }, (_, i) => there.roster.enter(`socket ${i}`))
  const helper = { adminId: randomUUID(), isSuper: false, mayAnswer: true }
  slots[0]!.promote(helper, () => {})
  await isOnline(true)
  slots[0]!.promote({ ...helper, mayAnswer: false }, () => {})
  await isOnline(false)
  slots[1]!.promote({ adminId: SUPER_ADMIN_ID, isSuper: true, mayAnswer: true }, () => {})
  slots[0]!.leave()
  await isOnline(true)
  await until('both are in the list', () => here.roster.list().length === 2)
  t.same(
    here.roster.list().map(({ isSuperAdmin }) => isSuperAdmin),
    [true, undefined],
    'admins first, then the newest',
  )
  for (const message of [
    '',
    '5',
    'null',
    '[]',
    '{"from":"x","members":[null]}',
    '{"from":"x","members":5}',
  ]) {
    await main.publish('solstice:roster', message)
  }
  there.die()
  await isOnline(false)
  t.same(here.roster.list(), [])
})

t.test('listeners of another replica are known long before the next list is sent', async (t) => {
  const options = { limit: 10, heartbeatMs: 3_600_000 }
  const [here, there] = [await open(t, options), await open(t, options)]
  for (let count = 1; count <= 3; count++) {
    there.roster.enter(`socket ${count}`)
    const isKnown = until('it is known', () => here.roster.list().length === count).then(() => true)
    t.ok(await Promise.race([isKnown, sleep(1_500).then(() => false)]), `listener ${count}`)
  }
})

t.test('above 200 listeners other replicas learn of them only with the heartbeat', async (t) => {
  const options = { limit: 1_000, heartbeatMs: 3_600_000 }
  const [here, many, few] = [await open(t, options), await open(t, options), await open(t, options)]
  let known = 0
  const areKnown = (count: number) => {
    known += count
    return until(`${known} are known`, () => here.roster.list().length === known)
  }
  for (let i = 0; i < 199; i++) many.roster.enter(`socket ${i}`)
  await areKnown(199)
  // A greeting may have told of them; then their turn is over when this one is.
  few.roster.enter('elsewhere')
  await areKnown(1)
  many.roster.enter('the 200th')
  await areKnown(1)
  many.roster.enter('one more')
  few.roster.enter('also elsewhere')
  // Both would be told after the same time, the first of them first.
  await areKnown(1)
  const slot = many.roster.enter('an admin')
  slot.promote({ adminId: randomUUID(), isSuper: false, mayAnswer: true }, () => {})
  await areKnown(2)
})

t.test(
  'an account is on the air by any of its windows, and under its name in the roster alone',
  async (t) => {
    let live = ''
    const { roster } = await open(t, { limit: 9, isLive: (socketId) => socketId === live })
    const windows = ['first', 'second'].map((socketId) => roster.enter(socketId))
    for (const slot of windows) slot.promote({ adminId: 'helper', isSuper: false, mayAnswer: true }, () => {})
    const onAir = () => roster.list().map(({ isOnAir }) => isOnAir)
    t.same(onAir(), [undefined])
    live = 'second'
    roster.lineUpChanged()
    t.same(onAir(), [true])
    live = ''
    roster.lineUpChanged()
    t.same(onAir(), [undefined])
  },
)
