import { join as path } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type ClientEventName, clientEvents, type Privilege } from '@solstice/contracts'
import { isHostOnline, liveRoster, type PlayoutState } from '@solstice/playout'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { Value } from 'typebox/value'
import { randomFrom } from '../../harness/air/programme.ts'
import { makeTone } from '../../harness/audio/audio.ts'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket, type SocketClient } from '../../harness/people/socket-client.ts'
import { openApp } from '../../harness/stations/app.ts'
import { startAir } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'

const SEED = 7
const STEPS = 50
const CUTS = 50
const SLOTS = 3
const ENV = {
  ...SUPER_ADMIN,
  NIGHT_MODE: 'false',
  STREAM_MODE: 'true',
  RADIO_HOSTS_MODE: 'true',
  MAX_LIVE_HOST_SLOTS: String(SLOTS),
  GUEST_REQUEST_COOLDOWN_S: '0',
  TRUST_PROXY_HOPS: '1',
}
/** Host accounts by their privileges; each may moderate, too. undefined = the super admin. */
const ACCOUNTS: (Privilege[] | undefined)[] = [
  undefined,
  ...(['queue_manage', 'stats', 'mode_switch'] as const).map((also): Privilege[] => [
    'radio_host',
    'radio_moderator',
    also,
  ]),
]
const HEAD = Buffer.from('1a45dfa301021f43b675', 'hex')

interface Person extends SocketClient {
  /** Index of the socket's account; null = a listener. */
  account: number | null
}

/** Two replicas and a worker in this process, and people who connect to them. */
async function openStation(t: Test) {
  const silent = pino({ level: 'silent' })
  const one = await openApp(t, ENV, silent)
  const two = await openApp(t, ENV, silent, one)
  for (const name of ['a', 'b']) {
    await makeTone(path(one.ports.config.mediaDir, `music/day/${name}.mp3`), {
      hz: 300,
      seconds: 200,
      isMono: true,
    })
    await one.addTrack(`day/${name}.mp3`, null, { duration: 200, artist: name })
  }
  const urls = await Promise.all([one, two].map(({ app }) => app.listen({ port: 0, host: '127.0.0.1' })))
  const air = await startAir(t, one.ports)
  await air.until(({ hosting }) => hosting.isOn)
  const tokens = await Promise.all(ACCOUNTS.map(async (account) => (await asAdmin(one, account)).token))

  const people = new Set<Person>()
  const joinAs = async (account: number | null, url: string, address: string): Promise<Person> => {
    const client = openSocket(t, url, { headers: { 'x-forwarded-for': address } })
    const person = { ...client, account }
    await client.first('radio_hosts_online')
    if (account !== null) {
      client.socket.emit('admin_active', tokens[account])
      await client.first('admin_confirmed')
    }
    people.add(person)
    client.socket.once('disconnect', () => people.delete(person))
    return person
  }
  /** Fails on a reply that breaks the contract, and on a missing reply where one is due. */
  const ask = async (
    who: Person,
    event: ClientEventName,
    payload: object | null = null,
  ): Promise<unknown> => {
    if (clientEvents[event].ack === null) {
      who.socket.emit(event, payload)
      return who.ask('stream_ping', 1)
    }
    const gone = new Promise<null>((resolve) => who.socket.once('disconnect', () => resolve(null)))
    const answer = await Promise.race([who.ask(event, payload), gone])
    if (answer !== null && !Value.Check(clientEvents[event].ack!, answer))
      t.fail(`${event} is not answered as the contract says`, { answer })
    return answer
  }
  return { one, urls, air, people, joinAs, ask }
}

/** Fails where a saved state breaks an invariant. */
function problemsOf({ live, hosting, isPaused }: PlayoutState): string[] {
  const { participants, requests, approvals } = live
  const isTwice = (list: unknown[]) => new Set(list).size !== list.length
  const count = (of: string) => participants.filter(({ role }) => role === of).length
  const isHosted = participants.some(({ role }) => role === 'host')
  return [
    participants.length > hosting.slots && 'more people than slots',
    (count('host') > 2 || count('guest') > 1 || count('specialGuest') > 1) && 'too many of a role',
    isTwice([...participants, ...requests, ...approvals].map(({ socketId }) => socketId)) &&
      'a socket is there twice',
    isTwice(participants.flatMap(({ adminId }) => adminId ?? [])) && 'an account is there twice',
    isTwice(requests.map(({ uid }) => uid)) && 'somebody asks twice',
    !isHosted && (participants.length > 0 || requests.length > 0 || isPaused) && 'nobody leads',
  ].filter((problem) => problem !== false)
}

t.test('random actions and disconnects never break the rules of the air', async (t) => {
  const { one, urls, air, people, joinAs, ask } = await openStation(t)
  const random = randomFrom(SEED)
  const pick = <T>(list: readonly T[]): T | undefined => list[random(list.length)]
  /** Number of states in which each thing happened. */
  const seen = { twoHosts: 0, guests: 0, specialGuests: 0, requests: 0, approvals: 0, full: 0 }
  const unfollow = await one.ports.bus.follow((state) => {
    const problems = problemsOf(state)
    if (problems.length) t.fail(problems.join('; '), { live: state.live })
    const { participants, requests, approvals } = state.live
    const count = (of: string) => participants.filter(({ role }) => role === of).length
    seen.twoHosts += Number(count('host') === 2)
    seen.guests += count('guest')
    seen.specialGuests += count('specialGuest')
    seen.requests += requests.length
    seen.approvals += approvals.length
    seen.full += Number(participants.length === SLOTS)
  })
  t.teardown(unfollow)

  const watchers = await Promise.all(urls.map((url) => joinAs(null, url, '192.0.2.1')))
  const moderators = await Promise.all(
    urls.map(async (url, i) => {
      const { token } = await asAdmin(one, ['radio_moderator', i ? 'editor_meta' : 'stats'])
      const client = openSocket(t, url, { headers: { 'x-forwarded-for': '192.0.2.2' } })
      client.socket.emit('admin_active', token)
      await client.first('admin_confirmed')
      return client
    }),
  )
  const presentIds = () => new Set([...people].map(({ socket }) => socket.id))
  /** Compares the state known to everybody connected with the worker's, once it has gone round. */
  const settle = async () => {
    await until('who is on the air, or wants to be, is connected', () => {
      const { participants, requests, approvals } = air.state.live
      const present = presentIds()
      return [...participants, ...requests, ...approvals].every(({ socketId }) => present.has(socketId))
    })
    await until('everybody was told the same', () => {
      const roster = JSON.stringify(liveRoster(air.state))
      const isHosted = isHostOnline(air.state)
      const onAir = [...people].filter(({ socket }) => roster.includes(String(socket.id)))
      const told = [...moderators, ...onAir].map((client) => client.all('live_hosts_roster').at(-1) ?? [])
      return (
        told.every((list) => JSON.stringify(list) === roster) &&
        watchers.every((client) => client.all('radio_hosts_online').at(-1) === isHosted)
      )
    })
    // Requests without a reply may still be on their way, and rates are limited.
    await until(
      'everybody is answered the same',
      async () => {
        const expected = { roster: liveRoster(air.state), hostsOnline: isHostOnline(air.state) }
        const answers = await Promise.all(moderators.map((client) => client.ask('moderator_get_live_roster')))
        return answers.every((answer) => isDeepStrictEqual(answer, expected))
      },
      200,
    )
  }

  const cutOff = (who: Person) => {
    if (random(2)) who.socket.disconnect()
    else who.socket.io.engine.close()
  }
  const somebody = (isAdmin: boolean) =>
    pick([...people].filter((who) => !watchers.includes(who) && (who.account !== null) === isAdmin))
  const come = async () => {
    const account = random(3) ? random(ACCOUNTS.length) : null
    const person = await joinAs(account, pick(urls)!, `198.51.100.${random(6)}`)
    // Another window of an account is on air only after a takeover.
    if (account !== null) await ask(person, 'admin_go_live', { takeOver: random(2) === 0 })
  }
  const hostEvents = async (who: Person) => {
    const { participants, requests } = air.state.live
    const targetId = pick(participants)?.socketId ?? 'nobody'
    const uid = pick(requests)?.uid ?? 'nobody'
    const choices: [ClientEventName, object | null][] = [
      ['admin_go_live', null],
      ['admin_go_live', { takeOver: true }],
      ['admin_leave_live', null],
      ['host_mic_toggle', { on: random(2) === 0 }],
      ['host_mic_gain', { gain: random(12) }],
      ['host_pause_queue', { when: random(2) ? 'now' : 'afterTrack' }],
      ['host_resume_queue', null],
      ['host_guest_mute', { targetId, muted: random(2) === 0 }],
      ['moderator_mute', { targetId, muted: random(2) === 0 }],
      [random(2) ? 'host_guest_kick' : 'moderator_kick', { targetId }],
      ['admin_guest_action', { uid, action: random(5) ? 'accept' : 'reject' }],
      ['admin_guest_action', { uid, action: 'accept' }],
      ['moderator_generate_guest_code', { ttlHours: random(10) }],
      [random(2) ? 'moderator_regenerate_guest_code' : 'moderator_get_guest_code', {}],
      ['moderator_deactivate_guest_code', null],
      ['moderator_deactivate_guest_code', null],
    ]
    const [event, payload] = pick(choices)!
    await ask(who, event, payload)
  }
  const guestEvents = async (who: Person) => {
    const code = air.state.live.code?.code
    if (code && random(3)) await ask(who, 'special_guest_connect', { code, nickname: 'Special' })
    else await ask(who, 'guest_request', { nickname: `Guest ${random(100)}` })
    if (random(4) === 0) return
    const uid = air.state.live.requests.find(({ socketId }) => socketId === who.socket.id)?.uid
    const host = somebody(true)
    if (uid && host) await ask(host, 'admin_guest_action', { uid, action: 'accept' })
    await ask(who, 'guest_connect')
    if (random(4) === 0) await ask(who, 'guest_leave_live')
  }
  const act = async () => {
    const who = somebody(random(2) === 0)
    if (people.size < 6 || (random(5) === 0 && people.size < 12)) await come()
    else if (!who) return
    else if (random(6) === 0) cutOff(who)
    else if (who.account === null) await guestEvents(who)
    else await hostEvents(who)
  }
  for (let step = 0; step < STEPS; step++) {
    // Two at once, but nobody connects while others act for the same account.
    await Promise.all(
      step % 4
        ? [act()]
        : [guestEvents, hostEvents].map((does, i) => {
            const who = somebody(i === 1)
            return who && does(who)
          }),
    )
    await settle()
  }

  for (const who of people) if (!watchers.includes(who)) cutOff(who)
  await settle()
  await moderators[0]!.ask('moderator_deactivate_guest_code')
  const channels = async () => ((await one.ports.redis.call('PUBSUB', 'CHANNELS')) as string[]).sort().join()
  let before: { channels: string; keys: number } | null = null
  // Requests are remembered for some seconds.
  const lasting = async () =>
    (await one.ports.redis.keys('*')).filter((key) => !/:(asked|outcome):/.test(key))
  const left = async () => ({ channels: await channels(), keys: (await lasting()).length })

  for (let i = 0; i < CUTS; i++) {
    const [here, there] = i % 2 ? [urls[0]!, urls[1]!] : [urls[1]!, urls[0]!]
    const [host, guest] = await Promise.all([
      joinAs(i % ACCOUNTS.length, here, '198.51.100.1'),
      joinAs(null, there, `203.0.113.${i}`),
    ])
    const { error } = (await ask(host, 'admin_go_live', { takeOver: true })) as { error?: unknown }
    t.notOk(error, 'there is a slot')
    // The earlier ones have freed their slots by now, or will soon.
    await air.until(({ live }) => live.participants.length === 1)
    await ask(guest, 'guest_request', { nickname: 'Guest' })
    const { uid } = (await air.until(({ live }) => live.requests.length === 1)).live.requests[0]!
    await ask(host, 'admin_guest_action', { uid, action: 'accept' })
    t.match(await ask(guest, 'guest_connect'), { ok: true })
    for (const who of i % 5 ? [] : [host, guest]) {
      who.socket.emit('host_mic_toggle', { on: true })
      who.socket.emit('host_audio_chunk', HEAD)
    }
    const [first, second] = i % 3 ? [host, guest] : [guest, host]
    cutOff(first)
    cutOff(second)
    // By then both replicas receive everything that people on the air need.
    if (i === 2) before = await left()
  }
  await settle()
  await air.until(({ live }) => live.participants.length === 0)
  const { participants, requests, approvals, code } = air.state.live
  t.same(
    { participants, requests, approvals, code },
    { participants: [], requests: [], approvals: [], code: null },
  )
  t.equal(air.state.isPaused, false)
  t.same(await left(), before, 'nothing is left behind')
  await until('nobody else is shown', () =>
    watchers.every((client) => (client.all('usersUpdate').at(-1) as unknown[]).length === 4),
  )
  // The course depends on timing, so the rarer things may have happened seldom.
  t.ok(Math.min(seen.guests, seen.requests, seen.approvals) > 3, 'guests came', seen)
  t.ok(Math.max(seen.twoHosts, seen.specialGuests, seen.full) > 3, 'and it was crowded', seen)
})
