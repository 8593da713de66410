import { type Command, isLasting } from '@solstice/playout'
import { type AirLease, type Asker, Failure, sleep } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { openProcess } from '../../../../tests/harness/air/holders.ts'
import { track } from '../../../../tests/harness/air/programme.ts'
import { queueStation } from '../../../../tests/harness/air/queue-station.ts'
import { startRedis, type Teardown } from '../../../../tests/harness/processes/processes.ts'
import { startRedisPair } from '../../../../tests/harness/servers/redis-pair.ts'
import { startRedisGroup } from '../../../../tests/harness/servers/sentinels.ts'
import { openBus } from '../../../../tests/harness/stations/bus.ts'
import { until } from '../../../../tests/harness/until.ts'
import { readConfig } from '../config/config.ts'
import { openRedis } from '../redis/connection.ts'

const log = pino({ level: 'silent' })
const never = new AbortController().signal
const COMMANDS = 'solstice:commands'

const speaker = { socketId: 's', replica: 'r', uid: 'u', address: '192.0.2.1' }
const guest = { speaker, nickname: 'n' }
const added = { track: track('song'), mode: 'day', orderType: 'donated', tier: 1 } as const
/** One of each kind; the compiler says when one is missing. */
const one: { [T in Command['type']]: Extract<Command, { type: T }> } = {
  'library-changed': { type: 'library-changed' },
  'release-track': { type: 'release-track', trackId: 'day/a.mp3', purpose: 'remove' },
  'settings-changed': { type: 'settings-changed' },
  'clips-changed': { type: 'clips-changed' },
  'cue-points-changed': { type: 'cue-points-changed' },
  'switch-mode': { type: 'switch-mode', target: 'night', atMs: null },
  'cancel-switch': { type: 'cancel-switch' },
  'insert-group': { type: 'insert-group', mode: 'day', tracks: [] },
  'add-song': { type: 'add-song', ...added },
  'remove-entry': { type: 'remove-entry', position: 1 },
  'restore-entry': { type: 'restore-entry', entryId: 'e1' },
  'move-entry': { type: 'move-entry', entryId: 'e1', from: 1, to: 2 },
  'insert-jingle': { type: 'insert-jingle', clipId: 'c1' },
  'cancel-jingle': { type: 'cancel-jingle', clipId: 'c1' },
  skip: { type: 'skip' },
  'request-track': { type: 'request-track', uid: 'u', socketId: 's', track: track('song'), mode: 'day' },
  'answer-track-request': { type: 'answer-track-request', uid: 'u', action: 'add' },
  'go-live': { type: 'go-live', speaker, adminId: 'a', login: 'a', takeOver: false },
  'leave-live': { type: 'leave-live', socketId: 's' },
  'replica-gone': { type: 'replica-gone', replica: 'r' },
  'set-mic': { type: 'set-mic', socketId: 's', isOn: false },
  'set-gain': { type: 'set-gain', socketId: 's', gain: 5 },
  mute: { type: 'mute', targetId: 's', isMuted: true, by: 'host' },
  kick: { type: 'kick', targetId: 's', by: 'host' },
  'ban-uid': { type: 'ban-uid', uid: 'u' },
  'ban-guest': { type: 'ban-guest', targetId: 's' },
  'request-guest': { type: 'request-guest', ...guest },
  'answer-guest': { type: 'answer-guest', uid: 'u', action: 'accept' },
  'connect-guest': { type: 'connect-guest', socketId: 's' },
  'enter-by-code': { type: 'enter-by-code', ...guest, code: 'c' },
  'set-code': { type: 'set-code', code: 'c', lifeMs: 1, isReplacing: false },
  'forget-code': { type: 'forget-code', code: 'c' },
  'pause-queue': { type: 'pause-queue', socketId: 's', when: 'now' },
  'resume-queue': { type: 'resume-queue', socketId: 's' },
  'choose-background': { type: 'choose-background', socketId: 's', clipId: null },
}
const paid: Command = { type: 'add-song', ...added, orderId: 'order' }

const last: Command = { type: 'replica-gone', replica: 'the last' }

/** The types of the commands that the lease holder receives, up to the last one. */
async function given(lease: AirLease): Promise<string[]> {
  const types: string[] = []
  for await (const { command } of lease.commands('0-0')) {
    if (JSON.stringify(command) === JSON.stringify(last)) return types
    types.push(command.type)
  }
  return types
}

const skipped = { ok: true, track: track('song') } as const

/** Sends a request to a lease holder that does with it as it is told. */
async function ask(t: Teardown, obey: (lease: AirLease, asker: Asker) => Promise<void>) {
  const { url } = await startRedis(t)
  const [asker, worker] = [await openBus(t, url), await openBus(t, url)]
  const lease = await worker.bus.acquireLease(never)
  const asked = asker.bus.send({ type: 'skip' })
  for await (const { asker } of lease.commands('0-0')) {
    await obey(lease, asker)
    break
  }
  return { outcome: await asked, left: await worker.redis.xlen(COMMANDS) }
}

/** Takes longer to save than anybody waits for a request that nobody took up. */
async function obeySlowly(lease: AirLease, asker: Asker) {
  await sleep(6_500)
  await lease.answer(asker, skipped)
}

/** Dies after it saved and before it told. */
const saveAndDie = (lease: AirLease, asker: Asker) =>
  lease.save(queueStation({}), [{ type: 'answer', asker, outcome: skipped }])

t.test('C2: either the worker takes a request up, or its sender takes it back; facts are read', async (t) => {
  const slowly = ask(t, obeySlowly)
  const untold = ask(t, saveAndDie)
  const { url } = await startRedis(t)
  const asker = await openBus(t, url)
  const commands = [...Object.values(one), paid]
  const codeOf = (error: unknown) => error instanceof Failure && error.code
  const codes = await Promise.all(commands.map((command) => asker.bus.send(command).then(Boolean, codeOf)))
  t.ok(codes.every((code) => code === 'AIR_UNAVAILABLE'))
  const worker = await openBus(t, url)
  const lease = await worker.bus.acquireLease(never)
  asker.bus.send(last).catch(() => {})
  const facts = [
    ...['add-song', 'clips-changed', 'cue-points-changed', 'forget-code', 'leave-live', 'library-changed'],
    ...['replica-gone', 'set-gain', 'set-mic', 'settings-changed'],
  ]
  t.same((await given(lease)).toSorted(), facts)
  const lasting = commands.filter(isLasting).map(({ type }) => type)
  t.same(lasting.toSorted(), facts)
  t.match(
    await slowly,
    { outcome: { ok: true }, left: 0 },
    'what was taken up is waited for, and given to nobody else',
  )
  t.match(await untold, { outcome: { ok: true } }, 'what was saved is not reported as refused')
})

t.test('C2: an outcome that is told while its sender is not connected is found', async (t) => {
  const { url } = await startRedis(t)
  const [asker, worker] = [await openBus(t, url), await openBus(t, url)]
  const lease = await worker.bus.acquireLease(never)
  const asked = asker.bus.send({ type: 'skip' })
  for await (const taken of lease.commands('0-0')) {
    await worker.redis.client('KILL', 'TYPE', 'pubsub')
    await lease.answer(taken.asker, { ok: true, track: track('song') })
    break
  }
  t.match(await asked, { ok: true })
})

t.test('C2: what was taken up right before a failover is waited for while it may be saved', async (t) => {
  const group = await startRedisGroup(t, 2)
  const address = readConfig({ JWT_SECRET: '-', ...group.env }).config.redis
  const [asker, worker] = [await openBus(t, address), await openBus(t, address)]
  const lease = await worker.bus.acquireLease(never)
  const askedAtMs = performance.now()
  const elapsedMs = () => performance.now() - askedAtMs
  const asked = asker.bus.send({ type: 'skip' }).then(Boolean, () => false)
  for await (const taken of lease.commands('0-0')) {
    await group.killPrimary()
    // Later than a sender waits that knows of no failover.
    await sleep(Math.max(0, 12_500 - elapsedMs()))
    await lease.answer(taken.asker, { ok: true, track: track('song') })
    break
  }
  if (elapsedMs() < 14_500) return t.ok(await asked)
  t.comment(`too slow a machine: answered after ${Math.round(elapsedMs())} ms`)
  await asked
})

t.test(
  'C2: what its sender gave up on is not saved any more, and the next worker knows nothing of it',
  async (t) => {
    const { url } = await startRedis(t)
    const [asker, worker] = [await openBus(t, url), await openBus(t, url)]
    const lease = await worker.bus.acquireLease(never)
    await lease.save(queueStation({}), [])
    const asked = asker.bus.send({ type: 'skip' }).then(Boolean, () => 'given up')
    for await (const taken of lease.commands('0-0')) {
      t.equal(await asked, 'given up')
      const state = { ...queueStation({}), appliedThrough: taken.id }
      const due = [{ type: 'answer', asker: taken.asker, outcome: skipped }] as const
      await t.rejects(lease.save(state, due), /lease is lost/)
      break
    }
    t.ok(lease.lost.aborted)
    await lease.release()
    const next = await asker.bus.acquireLease(never)
    t.match(await next.resume(), { state: { appliedThrough: queueStation({}).appliedThrough }, outbox: [] })
  },
)

async function askOverPair(t: Teardown) {
  const pair = await startRedisPair(t)
  const clock = { nowMs: () => Date.now(), aheadMs: () => 0 }
  const [asker, worker] = await Promise.all([openProcess(t, pair, clock), openProcess(t, pair, clock)])
  const lease = await worker.bus.acquireLease(never)
  return { pair, asker, worker, lease, asked: asker.bus.send({ type: 'skip' }) }
}

t.test(
  'C2: what a failover puts back into the stream is not taken back, since a worker has it',
  async (t) => {
    const { pair, worker, lease, asked } = await askOverPair(t)
    const waiting = async () => Number(await pair.call('xlen', COMMANDS))
    await until('the request is there', async () => (await waiting()) === 1)
    await worker.redis.set('later', 1)
    t.equal(await worker.redis.wait(1, 60_000), 1, 'on both servers')
    pair.cutTail()
    for await (const taken of lease.commands('0-0')) {
      await pair.failOver()
      t.equal(await waiting(), 1)
      await until('its sender takes it back', async () => (await waiting()) === 0)
      await lease.answer(taken.asker, skipped)
      break
    }
    t.match(await asked, { ok: true })
  },
)

t.test('C2: an answer that a failover lost is given again', async (t) => {
  const { pair, asker, lease, asked } = await askOverPair(t)
  for await (const taken of lease.commands('0-0')) {
    asker.link.suspend()
    pair.cutTail()
    const told = lease.answer(taken.asker, skipped)
    await until('the answer is given', async () => (await pair.call('keys', '*:outcome:*')) !== '')
    await pair.failOver()
    asker.link.resume()
    await told
    break
  }
  t.match(await asked, { ok: true })
})

/** A command as a sender that is gone left it. */
const left = (command: Command, untilMs?: number) => [
  ...['asker', 'gone', 'token', 'none', 'command', JSON.stringify(command)],
  ...(untilMs === undefined ? [] : ['until', String(untilMs)]),
]

t.test('C2: a deadline counts also when its sender is gone', async (t) => {
  const { url } = await startRedis(t)
  const { bus, clock, redis } = await openBus(t, url)
  const answers: string[] = []
  const hearing = await openRedis(url, log, true)
  t.teardown(() => hearing.disconnect())
  await hearing.subscribe('solstice:outcomes:gone')
  hearing.on('message', (_, text: string) => answers.push(text))
  await redis.xadd(COMMANDS, '*', ...left(one['switch-mode'], clock.nowMs() - 1))
  await redis.xadd(COMMANDS, '*', ...left(one.skip, clock.nowMs() + 60_000))
  const lease = await bus.acquireLease(never)
  bus.send(last).catch(() => {})
  t.same(await given(lease), ['skip'])
  await until('the refusal is told', () => answers.length > 0)
  t.match(JSON.parse(answers[0]!), { token: 'none', outcome: { ok: false, code: 'AIR_UNAVAILABLE' } })
})

t.test(
  'C2: commands of the version before count as long as their senders wait',
  { buffered: true },
  async (t) => {
    const { url } = await startRedis(t)
    const { bus, redis } = await openBus(t, url)
    const [seconds] = await redis.time()
    await redis.xadd(COMMANDS, `${Number(seconds) * 1000 - 60_000}-0`, ...left(one['switch-mode']))
    await redis.xadd(COMMANDS, '*', ...left(one.skip))
    const lease = await bus.acquireLease(never)
    bus.send(last).catch(() => {})
    t.same(await given(lease), ['skip'])
  },
)

t.test('a command that is sent twice by a connection that broke is one', async (t) => {
  const { url } = await startRedis(t)
  const { bus, redis } = await openBus(t, url)
  const lease = await bus.acquireLease(never)
  const send = redis.eval.bind(redis) as (...args: unknown[]) => Promise<unknown>
  redis.eval = ((script: string, ...args: unknown[]) => {
    if (/XADD.*MAXLEN.*~/.test(script)) void send(script, ...args)
    return send(script, ...args)
  }) as typeof redis.eval
  bus.send({ type: 'skip' }).catch(() => {})
  bus.send(last).catch(() => {})
  t.same(await given(lease), ['skip'])
  const sent = await redis.xrange(COMMANDS, '-', '+')
  t.same(
    sent.map(([, fields]) => fields[7]),
    [''],
    'a fact has no deadline',
  )
})

t.test('a worker that ends leaves what it did not begin to the next one', async (t) => {
  const { url } = await startRedis(t)
  const [one, two] = [await openBus(t, url), await openBus(t, url)]
  const first = await one.bus.acquireLease(never)
  const stopping = new AbortController()
  const reading = (async () => {
    for await (const { command } of first.commands('0-0', stopping.signal)) t.fail(`given ${command.type}`)
  })()
  stopping.abort()
  const sentMs = two.clock.nowMs()
  const asked = two.bus.send({ type: 'skip' })
  await until('the command is there', async () => (await two.redis.xlen(COMMANDS)) === 1)
  const [sent] = await two.redis.xrange(COMMANDS, '-', '+')
  const untilMs = Number(sent![1][7])
  t.ok(untilMs >= sentMs + 6_000 && untilMs <= two.clock.nowMs() + 6_000, 'it says until when it is wanted')
  await first.release()
  await reading
  const second = await two.bus.acquireLease(never)
  for await (const { asker } of second.commands('0-0')) {
    await second.answer(asker, { ok: true, track: track('song') })
    break
  }
  t.match(await asked, { ok: true })
})

t.test('a fact is read once, although the requests after it were taken out of the stream', async (t) => {
  const { url } = await startRedis(t)
  const worker = await openBus(t, url)
  const lease = await worker.bus.acquireLease(never)
  const add = (command: Command) => worker.redis.xadd(COMMANDS, '*', ...left(command))
  await add({ type: 'library-changed' })
  await add({ type: 'skip' })
  const read: string[] = []
  for await (const { command } of lease.commands('0-0')) {
    read.push(command.type)
    // The reader asks twice in vain before the next one comes.
    if (command.type === 'skip') setTimeout(() => void add({ type: 'clips-changed' }), 2_500)
    if (command.type === 'clips-changed') break
  }
  t.same(read, ['library-changed', 'skip', 'clips-changed'])
  const last = await lease.lastCommand()
  // The reader asks in vain before the next one comes.
  setTimeout(() => void add({ type: 'skip' }), 1_500)
  for await (const { command } of lease.commands(last)) {
    t.equal(command.type, 'skip', 'nor by another reader, which begins behind it')
    break
  }
})

t.test('a stream of commands that was emptied goes on where it was', async (t) => {
  const { url } = await startRedis(t)
  const worker = await openBus(t, url)
  const lease = await worker.bus.acquireLease(never)
  await worker.redis.xadd(COMMANDS, '*', ...left({ type: 'library-changed' }))
  const last = await lease.lastCommand()
  await worker.redis.xtrim(COMMANDS, 'MAXLEN', 0)
  t.equal(await lease.lastCommand(), last)
})
