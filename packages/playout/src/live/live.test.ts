import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import {
  alwaysDay,
  HOUR,
  NOON,
  ordered,
  playing,
  randomFrom,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import type { Command, Effect } from '../model/commands/commands.ts'
import { initialState } from '../model/initial-state.ts'
import type { Hosting, Participant } from '../model/live-state.ts'
import type { PlayoutState } from '../model/state.ts'
import type { Step } from '../model/steps.ts'
import { readState } from '../saved/state-versions.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { resume } from '../step/resume.ts'
import { liveDueMs } from './guests.ts'
import { guestQueue, isHostOnline, liveRoleOf, liveRoster, pendingGuests, shownCode } from './roster.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const hosting: Hosting = {
  isOn: true,
  slots: 4,
  guestRequestExpiryMs: MINUTE,
  guestCooldownMs: 10 * MINUTE,
  guestMs: 15 * MINUTE,
  specialGuestMs: HOUR,
}

function station(settings: Partial<Hosting> = {}, state = initialState(7, 'sound', alwaysDay, NOON)) {
  return learn(state, { type: 'hosting', hosting: { ...hosting, ...settings } }, NOON).state
}

const speaker = (
  name: string,
  { replica = 'api 1', address = `address of ${name}`, uid = `uid of ${name}` } = {},
) => ({ socketId: `socket of ${name}`, replica, uid, address })
const socket = (name: string) => speaker(name).socketId
const goLive = (name: string, adminId = `account of ${name}`, takeOver = false): Command => ({
  type: 'go-live',
  speaker: speaker(name),
  adminId,
  login: name,
  takeOver,
})
const ask = (name: string, from: Parameters<typeof speaker>[1] = {}): Command => ({
  type: 'request-guest',
  speaker: speaker(name, from),
  nickname: name,
})
const decide = (name: string, action: 'accept' | 'reject'): Command => ({
  type: 'answer-guest',
  uid: speaker(name).uid,
  action,
})
const connect = (name: string): Command => ({ type: 'connect-guest', socketId: socket(name) })
const leave = (name: string): Command => ({ type: 'leave-live', socketId: socket(name) })
const setCode = (code: string | null, more: { isReplacing?: boolean; lifeMs?: number } = {}): Command => ({
  type: 'set-code',
  code,
  lifeMs: 8 * HOUR,
  isReplacing: false,
  ...more,
})
const enter = (name: string, code: string, uid?: string): Command => ({
  type: 'enter-by-code',
  speaker: speaker(name, { uid }),
  nickname: name,
  code,
})
const kick = (name: string, by: 'host' | 'moderator' = 'moderator'): Command => ({
  type: 'kick',
  targetId: socket(name),
  by,
})
const mute = (name: string, by: 'host' | 'moderator' = 'moderator', isMuted = true): Command => ({
  type: 'mute',
  targetId: socket(name),
  isMuted,
  by,
})
const ban = (name: string): Command => ({ type: 'ban-uid', uid: speaker(name).uid })

/** One command after the other, none refused. */
function after(state: PlayoutState, commands: Command[], nowMs = NOON): PlayoutState {
  for (const command of commands) {
    const step = apply(state, command, nowMs)
    if (!step.outcome.ok)
      throw new Error(`${JSON.stringify(command)} refused: ${JSON.stringify(step.outcome)}`)
    state = step.state
  }
  return state
}
const guestOnAir = (name: string) => [ask(name), decide(name, 'accept'), connect(name)]
const names = ({ live }: PlayoutState) => live.participants.map(({ name }) => name)
const asking = ({ live }: PlayoutState) => live.requests.map(({ nickname }) => nickname)
const expected = ({ live }: PlayoutState) => live.approvals.map(({ nickname }) => nickname)

function refusal({ outcome }: ReturnType<typeof apply>) {
  return outcome.ok ? null : [outcome.code, ...Object.values(outcome.details ?? {})].join(' ')
}
const refusalOf = (state: PlayoutState, command: Command, nowMs = NOON) =>
  refusal(apply(state, command, nowMs))

/** A short form of the effects: who began, who ended and why, who was answered what. */
function told({ effects }: Step): string[] {
  return effects.flatMap((effect: Effect) => {
    switch (effect.type) {
      case 'live-started':
        return [`${effect.participant.name} began`]
      case 'live-ended':
        return [`${effect.participant.name} ended: ${effect.reason}`]
      case 'guest-answered': {
        const { result } = effect
        const answer = result.accepted ? 'yes' : (result.reason ?? (result.auto ? 'late' : 'no'))
        return [`${effect.socketId}: ${answer}`]
      }
      default:
        return []
    }
  })
}

t.test('H1: hosts and guests share the slots; at most two hosts and one of each sort of guest', async (t) => {
  const two = after(station(), [goLive('ann'), goLive('bob')])
  t.same(liveRoster(two), [
    { id: 'socket of ann', login: 'ann', role: 'host', muted: false },
    { id: 'socket of bob', login: 'bob', role: 'host', muted: false },
  ])
  t.equal(refusalOf(two, goLive('cyd')), 'SLOTS_TAKEN', 'two hosts are enough')
  const again = apply(two, goLive('ann'), NOON + 1)
  t.same([again.outcome, again.effects, again.state], [{ ok: true, isNew: false }, [], two], 'twice is once')

  const full = after(two, [...guestOnAir('gus'), setCode('c0de'), enter('sue', 'c0de')])
  t.same(
    [pendingGuests(full), names(full)],
    [[{ id: 'socket of sue', nickname: 'sue', role: 'specialGuest' }], ['ann', 'bob', 'gus']],
  )
  t.equal(refusalOf(full, enter('tom', 'c0de')), 'GUEST_CODE_REFUSED room_full', 'an approval holds its slot')
  t.equal(refusalOf(after(full, [leave('gus')]), enter('tom', 'c0de')), 'GUEST_CODE_REFUSED room_full')
  t.equal(liveRoleOf(after(full, [connect('sue')]), socket('sue')), 'specialGuest')
  t.equal(liveRoleOf(full, socket('sue')), null, 'who may come is not there yet')

  const one = station({ slots: 1 })
  t.equal(refusalOf(after(one, [goLive('ann')]), goLive('bob')), 'SLOTS_TAKEN')
  t.equal(refusalOf(after(one, [goLive('ann')]), ask('gus')), 'GUEST_REQUEST_REFUSED room_full')
  const early = after(one, [setCode('c0de'), enter('sue', 'c0de')])
  t.equal(refusalOf(early, connect('sue')), 'NO_HOSTS')
  const hosted = after(early, [goLive('ann')])
  t.same(names(hosted), ['ann'], 'an approval keeps no first host away')
  t.equal(refusalOf(hosted, connect('sue')), 'SLOTS_TAKEN')
  const guests = after(station({ slots: 3 }), [goLive('ann'), ask('gus'), decide('gus', 'accept')])
  t.equal(
    refusalOf(after(guests, [goLive('bob'), setCode('c0de')]), enter('sue', 'c0de'))?.split(' ')[1],
    'room_full',
  )
  t.equal(
    refusalOf(after(guests, [setCode('c0de'), enter('sue', 'c0de')]), goLive('bob')),
    'SLOTS_TAKEN',
    'approvals hold theirs against a second one',
  )

  const off = initialState(7, 'sound', alwaysDay, NOON)
  for (const command of [goLive('ann'), ask('gus'), connect('gus'), enter('sue', ''), setCode('c0de')])
    t.equal(refusalOf(off, command), 'FEATURE_UNAVAILABLE radioHosts', command.type)
})

t.test('H2: a second socket of an account has the place of the first only when it takes over', async (t) => {
  const first = after(station({ slots: 2 }), [goLive('ann'), ...guestOnAir('gus'), mute('ann')])
  const refused = apply(first, goLive('ann at home', 'account of ann'), NOON)
  t.same([refusal(refused), refused.state, told(refused)], ['LIVE_ELSEWHERE', first, []])
  const second = apply(first, goLive('ann at home', 'account of ann', true), NOON)
  t.same(told(second), ['ann ended: session_replaced', 'ann at home began'])
  t.same(names(second.state), ['ann at home', 'gus'], 'the last host was not gone for a moment')
  t.equal(second.state.live.participants[0]?.isMuted, true, 'no moderator is outwitted by another window')
  t.same(told(apply(second.state, leave('ann'), NOON)), [], 'the end of the first changes nothing')
  t.equal(refusalOf(first, goLive('gus')), 'ALREADY_LIVE', 'a guest is no host for having an account')
  const alone = apply(station(), goLive('ann', undefined, true), NOON)
  t.same([names(alone.state), told(alone)], [['ann'], ['ann began']], 'where there is nothing to take over')
  const two = after(station(), [goLive('ann'), goLive('bob')])
  t.equal(refusalOf(two, goLive('cyd', undefined, true)), 'SLOTS_TAKEN', 'nobody else gives way')
})

t.test(
  'H3: a live session ends with its socket, its process or its time, and outlives the worker',
  async (t) => {
    const away = { replica: 'api 2' }
    const many = after(station({ slots: 9 }), [
      goLive('ann'),
      ...guestOnAir('gus'),
      setCode('c0de'),
      { ...enter('sue', 'c0de'), speaker: speaker('sue', away) } as Command,
      connect('sue'),
      setCode(null),
    ])
    t.same(told(apply(many, leave('gus'), NOON)), ['gus ended: self'])
    const free = after(many, [leave('gus'), ask('hal', away), ask('ida')])
    const gone = apply(free, { type: 'replica-gone', replica: 'api 2' }, NOON)
    t.same(told(gone), ['sue ended: self'], 'who is gone is not answered')
    t.same([names(gone.state), asking(gone.state)], [['ann'], ['ida']])
    t.same(told(apply(gone.state, { type: 'replica-gone', replica: 'api 2' }, NOON)), [], 'twice is once')
    t.same(told(apply(free, { type: 'replica-gone', replica: 'api 1' }, NOON)), [
      'ann ended: self',
      'sue ended: no_hosts',
      'socket of hal: no_admin',
    ])

    const settings = { ...hosting, guestMs: MINUTE, specialGuestMs: MINUTE, slots: 9 }
    const shorter = learn(many, { type: 'hosting', hosting: settings }, NOON).state
    t.same(told(advance(shorter, NOON + 15 * MINUTE - 1)), [], 'a running time is kept')
    const up = advance(shorter, NOON + 15 * MINUTE)
    t.same(told(up), ['gus ended: timeout'])
    const session = apply(many, connect('gus'), NOON + MINUTE).outcome
    t.same(session, { ok: true, role: 'guest', nickname: 'gus', expiresAtMs: NOON + 15 * MINUTE })
    t.same(told(advance(up.state, NOON + HOUR)), ['sue ended: timeout'])
    t.same(told(advance(up.state, NOON + 100 * HOUR)), ['sue ended: timeout'], 'a host stays')

    const taken = resume(readState(JSON.stringify(many)), NOON, NOON + 20 * MINUTE)
    t.same([names(taken.state), told(taken)], [['ann', 'sue'], ['gus ended: timeout']])
  },
)

t.test('H4: with the last host ends all that needs one, and the queue goes on', async (t) => {
  const talk = after(station({ slots: 9 }, playing(tracks(20), 'sound')), [
    goLive('ann'),
    goLive('bob'),
    ...guestOnAir('gus'),
    { type: 'leave-live', socketId: socket('gus') },
    ask('hal'),
    ask('ida'),
    decide('hal', 'accept'),
    { type: 'pause-queue', socketId: socket('ann'), when: 'now' },
  ])
  const one = apply(talk, leave('ann'), NOON)
  t.same(told(one), ['ann ended: self'])
  t.same([asking(one.state), expected(one.state), one.state.isPaused], [['ida'], ['hal'], true])
  const none = apply(one.state, kick('bob'), NOON)
  t.same(told(none), ['bob ended: kick', 'socket of ida: no_admin', 'socket of hal: no_admin'])
  const { live, isPaused, onAir } = none.state
  t.same([live, isPaused, onAir.phase], [{ ...live, requests: [], approvals: [] }, false, 'track'])
  t.same([isHostOnline(one.state), isHostOnline(none.state)], [true, false])
  t.equal(refusalOf(after(none.state, [goLive('ann')]), ask('ida')), null, 'nobody has to wait for that')

  const guests = after(station(), [goLive('ann'), ...guestOnAir('gus')])
  t.same(told(apply(guests, leave('ann'), NOON)), ['ann ended: self', 'gus ended: no_hosts'])

  const withCode = after(talk, [
    decide('ida', 'reject'),
    setCode('c0de'),
    enter('sue', 'c0de'),
    connect('sue'),
  ])
  const off = learn(withCode, { type: 'hosting', hosting: { ...hosting, isOn: false } }, NOON)
  t.same(
    told(off),
    ['ann ended: kick', 'bob ended: kick', 'sue ended: no_hosts', 'socket of hal: no_admin'],
    'where hosting is switched off everybody ends',
  )
  t.same([off.state.live.code, off.state.isPaused, liveDueMs(off.state)], [null, false, null])
  t.same(
    told(learn(off.state, { type: 'hosting', hosting: { ...hosting, isOn: false } }, NOON)),
    [],
    'told twice, it does no harm',
  )
})

t.test(
  'H5: a microphone is off at first, with gain 5; gains are kept between 2 and 7; mute silences',
  async (t) => {
    const live = after(station(), [goLive('ann'), ...guestOnAir('gus')])
    const of = (state: PlayoutState, name: string) =>
      state.live.participants.find((participant) => participant.name === name) as Participant
    t.match(of(live, 'gus'), { isMicOn: false, gain: 5, isMuted: false })
    const gains = [0, 2, 3.5, 7, 1e9].map(
      (gain) => of(after(live, [{ type: 'set-gain', socketId: socket('gus'), gain }]), 'gus').gain,
    )
    t.same(gains, [2, 2, 3.5, 7, 7])
    const on = after(live, [{ type: 'set-mic', socketId: socket('gus'), isOn: true }, mute('gus', 'host')])
    t.match(of(on, 'gus'), { isMicOn: true, isMuted: true })
    t.same(of(on, 'ann'), of(live, 'ann'))
    t.equal(of(after(on, [mute('gus', 'host', false)]), 'gus').isMuted, false)
    t.equal(refusalOf(live, { type: 'set-mic', socketId: 'nobody', isOn: true }), 'NOT_LIVE')
    t.equal(refusalOf(live, { type: 'set-gain', socketId: 'nobody', gain: 3 }), 'NOT_LIVE')
  },
)

t.test('H6: hosts mute and kick guests, moderators everybody; only ordinary guests are banned', async (t) => {
  const live = after(station({ slots: 9 }), [
    goLive('ann'),
    goLive('bob'),
    ...guestOnAir('gus'),
    setCode('c0de'),
    enter('sue', 'c0de'),
    connect('sue'),
  ])
  for (const command of [mute, kick]) {
    t.equal(refusalOf(live, command('bob', 'host')), 'GUEST_NOT_FOUND')
    t.equal(refusalOf(live, command('nobody', 'host')), 'GUEST_NOT_FOUND')
    t.equal(refusalOf(live, command('nobody')), 'PARTICIPANT_NOT_FOUND')
    for (const [name, by] of [
      ['gus', 'host'],
      ['sue', 'host'],
      ['bob', 'moderator'],
    ] as const)
      t.match(apply(live, command(name, by), NOON).outcome, { ok: true, target: { name } })
  }
  t.same(told(apply(live, kick('bob'), NOON)), ['bob ended: kick'])
  t.same(shownCode(apply(live, kick('gus'), NOON).state, NOON), { code: 'c0de', expiresAt: NOON + 8 * HOUR })
  t.same(shownCode(apply(live, kick('sue', 'host'), NOON).state, NOON), { code: null })

  const banGuest = (name: string): Command => ({ type: 'ban-guest', targetId: socket(name) })
  t.same(told(apply(live, banGuest('gus'), NOON)), ['gus ended: ban'])
  for (const name of ['ann', 'sue', 'nobody']) t.equal(refusalOf(live, banGuest(name)), 'GUEST_NOT_FOUND')
  t.same(told(apply(live, ban('gus'), NOON)), ['gus ended: ban'])
  for (const name of ['ann', 'sue', 'nobody']) t.same(told(apply(live, ban(name), NOON)), [])
  const wanted = after(station({ slots: 9 }), [
    goLive('ann'),
    ask('hal'),
    ask('joe'),
    decide('hal', 'accept'),
  ])
  const banned = apply(wanted, ban('hal'), NOON)
  t.same(told(banned), ['socket of hal: no'], 'what was allowed there ends')
  t.same(told(apply(wanted, ban('joe'), NOON)), ['socket of joe: no'], 'and what was asked for')
  t.same([asking(banned.state), expected(banned.state)], [['joe'], []])
})

t.test(
  'H7: a request is refused while there is a code, without hosts, in the cooldown, without room',
  async (t) => {
    const reason = (state: PlayoutState, command: Command, nowMs = NOON) =>
      refusalOf(state, command, nowMs)?.replace('GUEST_REQUEST_REFUSED ', '') ?? null
    const hosted = after(station({ slots: 3 }), [goLive('ann')])
    const waiting = after(hosted, [ask('gus'), decide('gus', 'reject')])
    const crowded = after(waiting, [...guestOnAir('hal')])
    t.equal(reason(crowded, ask('ida')), 'room_full')
    t.equal(reason(crowded, ask('hal')), 'room_full', 'who is there already needs no other place')
    t.equal(reason(crowded, ask('gus'), NOON + 1), 'cooldown 600')
    t.equal(reason(crowded, ask('gus'), NOON + 10 * MINUTE - 1), 'cooldown 1')
    t.equal(reason(advance(crowded, NOON + 10 * MINUTE).state, ask('gus'), NOON + 10 * MINUTE), 'room_full')
    const empty = after(crowded, [leave('ann')])
    t.equal(reason(empty, ask('gus')), 'no_admin')
    t.equal(reason(after(empty, [setCode('c0de')]), ask('gus')), 'special_guest_active')

    const special = after(station(), [setCode('c0de'), enter('sue', 'c0de'), goLive('ann'), setCode(null)])
    t.equal(refusalOf(special, ask('sue')), 'ALREADY_LIVE')
    t.equal(refusalOf(after(special, [connect('sue')]), ask('sue')), 'ALREADY_LIVE')

    const listed = after(hosted, [ask('hal'), ask('ida')])
    const again = { ...speaker('hal'), socketId: 'socket 2 of hal' }
    const repeated = after(
      listed,
      [{ type: 'request-guest', speaker: again, nickname: 'Hal' }],
      NOON + 40 * SECOND,
    )
    t.same(guestQueue(repeated), [
      { uid: 'uid of hal', nickname: 'Hal', addedAt: NOON + 40 * SECOND },
      { uid: 'uid of ida', nickname: 'ida', addedAt: NOON },
    ])
    t.same(told(advance(repeated, NOON + 99 * SECOND)), ['socket of ida: late'])
    t.same(told(advance(repeated, NOON + 100 * SECOND)), ['socket of ida: late', 'socket 2 of hal: late'])

    const many = after(
      hosted,
      Array.from({ length: 100 }, (_, i) => ask(`g${i}`)),
    )
    t.equal(reason(many, ask('gus')), 'room_full')
    t.equal(reason(many, ask('g7')), null, 'whoever waits may ask again')
  },
)

t.test('H8: the cooldown begins with a rejection, an expiry, and an acceptance without a slot', async (t) => {
  const hosted = after(station({ slots: 2 }), [goLive('ann')])
  const waits = (state: PlayoutState, nowMs = NOON) =>
    refusalOf(after(state, [goLive('ann')]), ask('gus'), nowMs)?.includes('cooldown') ?? false
  const asked = after(hosted, [ask('gus')])

  const rejected = apply(asked, decide('gus', 'reject'), NOON)
  t.same([told(rejected), rejected.outcome], [['socket of gus: no'], { ok: true, nickname: 'gus' }])
  t.ok(waits(rejected.state))
  const expired = advance(asked, NOON + MINUTE)
  t.same(told(expired), ['socket of gus: late'])
  t.ok(waits(expired.state, NOON + 11 * MINUTE - 1))
  t.notOk(waits(expired.state, NOON + 11 * MINUTE), 'it counts from the expiry')
  const full = apply(after(asked, [goLive('bob')]), decide('gus', 'accept'), NOON)
  t.same([told(full), refusal(full)], [['socket of gus: room_full'], 'SLOTS_TAKEN'])
  t.same([asking(full.state), waits(after(full.state, [leave('bob')]))], [[], true])

  const accepted = apply(asked, decide('gus', 'accept'), NOON)
  t.same([told(accepted), accepted.outcome], [['socket of gus: yes'], { ok: true, nickname: 'gus' }])
  t.notOk(waits(after(accepted.state, [connect('gus'), leave('gus')])))
  t.notOk(waits(after(asked, [setCode('c0de'), setCode(null)])), 'not where all requests end')
  t.notOk(waits(after(asked, [leave('gus')])), 'not where it is taken back')
  t.same(told(apply(asked, leave('gus'), NOON)), [])
  t.equal(refusalOf(rejected.state, decide('gus', 'accept')), 'GUEST_REQUEST_NOT_FOUND')

  const unlimited = after(station({ guestCooldownMs: 0, guestRequestExpiryMs: 0 }), [
    goLive('ann'),
    ask('gus'),
  ])
  t.same(asking(advance(unlimited, NOON + 100 * HOUR).state), ['gus'], 'no expiry, it waits')
  t.same(waits(after(unlimited, [decide('gus', 'reject')])), false)
})

t.test('H9: who was accepted has two minutes to come, and needs a host', async (t) => {
  const accepted = after(station(), [goLive('ann'), ask('gus'), decide('gus', 'accept')])
  t.equal(refusalOf(accepted, connect('hal')), 'GUEST_NOT_APPROVED')
  t.equal(refusalOf(accepted, connect('ann')), 'GUEST_NOT_APPROVED', 'a host is no guest')
  const came = apply(accepted, connect('gus'), NOON + MINUTE)
  t.same(came.outcome, { ok: true, role: 'guest', nickname: 'gus', expiresAtMs: NOON + 16 * MINUTE })
  t.same([told(came), expected(came.state)], [['gus began'], []])
  const again = apply(came.state, connect('gus'), NOON + 2 * MINUTE)
  t.same([again.outcome, again.effects, again.state], [came.outcome, [], came.state], 'twice is once')

  t.same(told(advance(accepted, NOON + 2 * MINUTE - 1)), [])
  const late = advance(accepted, NOON + 2 * MINUTE)
  t.same([told(late), expected(late.state)], [['socket of gus: late'], []])
  t.equal(refusalOf(late.state, connect('gus'), NOON + 2 * MINUTE), 'GUEST_NOT_APPROVED')
  t.equal(refusalOf(late.state, ask('gus'), NOON + 2 * MINUTE), null)
  t.equal(refusalOf(after(accepted, [leave('gus')]), connect('gus')), 'GUEST_NOT_APPROVED', 'or is gone')
  const becameHost = after(accepted, [goLive('gus')])
  t.same([liveRoleOf(becameHost, socket('gus')), expected(becameHost)], ['host', []])
})

t.test('H10: one access code at a time, which is not used up; wrong ones are counted', async (t) => {
  const asked = after(station(), [goLive('ann'), ask('gus'), ask('hal')])
  const made = apply(asked, setCode('abcdefghijkl'), NOON)
  t.same(told(made), ['socket of gus: special_guest_active', 'socket of hal: special_guest_active'])
  t.same([asking(made.state), made.outcome], [[], { ok: true, expiresAtMs: NOON + 8 * HOUR }])
  const { state } = made
  t.equal(refusalOf(state, setCode('other')), 'GUEST_CODE_REFUSED exists')
  const replaced = after(state, [setCode('other', { isReplacing: true })])
  t.equal(refusalOf(replaced, enter('sue', 'abcdefghijkl')), 'GUEST_CODE_REFUSED wrong_code')
  t.equal(
    refusalOf(after(state, [setCode(null), setCode(null)]), enter('sue', '')),
    'GUEST_CODE_REFUSED no_code',
  )
  for (const [lifeMs, keptMs] of [
    [0, HOUR],
    [2 * HOUR, 2 * HOUR],
    [1e15, 168 * HOUR],
  ] as const)
    t.match(apply(asked, setCode('c', { lifeMs }), NOON).outcome, { expiresAtMs: NOON + keptMs })
  t.same(shownCode(state, NOON + 8 * HOUR - 1), { code: 'abcdefghijkl', expiresAt: NOON + 8 * HOUR })
  t.same(shownCode(state, NOON + 8 * HOUR), { code: null }, 'also before time has passed')
  t.equal(advance(state, NOON + 8 * HOUR).state.live.code, null)

  const entered = after(state, [enter('sue', 'abcdefghijkl'), enter('sue', 'abcdefghijkl')])
  t.same(expected(entered), ['sue'], 'twice is once')
  const special = after(entered, [connect('sue')])
  t.same(after(special, [enter('sue', 'abcdefghijkl')]), special)
  t.same(names(after(special, [leave('sue'), enter('tom', 'abcdefghijkl'), connect('tom')])), ['ann', 'tom'])
  t.equal(refusalOf(special, enter('ann', 'abcdefghijkl')), 'ALREADY_LIVE')
  t.same(told(advance(entered, NOON + 2 * MINUTE)), ['socket of sue: late'])

  let guessed = state
  for (const [code, afterMs] of [
    ['abcdefghijkk', 0],
    ['bbcdefghijkl', MINUTE],
    ['abcdefghijklm', 2 * MINUTE],
  ] as const) {
    const step = apply(guessed, enter('eve', code, 'one household'), NOON + afterMs)
    t.equal(refusal(step), 'GUEST_CODE_REFUSED wrong_code')
    guessed = step.state
  }
  const tried = (name: string, uid: string | undefined, afterMs: number) =>
    refusalOf(guessed, enter(name, 'abcdefghijkl', uid), NOON + afterMs)
  t.equal(
    tried('sue', 'one household', 2 * MINUTE),
    'GUEST_CODE_REFUSED too_many_attempts 3480',
    'the right one, too',
  )
  t.equal(tried('sue', undefined, 2 * MINUTE), null, 'from elsewhere it is let in')
  t.equal(tried('sue', 'one household', HOUR - 1), 'GUEST_CODE_REFUSED too_many_attempts 1')
  t.equal(tried('sue', 'one household', HOUR), null)
  const fourth = apply(guessed, enter('eve', 'no', 'one household'), NOON + HOUR)
  t.equal(
    refusalOf(fourth.state, enter('eve', 'no', 'one household'), NOON + HOUR),
    'GUEST_CODE_REFUSED too_many_attempts 60',
    'after the first of them is forgotten there is one more try',
  )
  t.equal(
    refusalOf(after(guessed, [setCode(null)]), enter('eve', '', 'one household'))?.split(' ')[1],
    'too_many_attempts',
  )
  for (const code of ['', 'a', 'abcdefghijk', 'abcdefghijkl\0', 'ABCDEFGHIJKL'])
    t.equal(refusalOf(state, enter('sue', code)), 'GUEST_CODE_REFUSED wrong_code', code)
})

t.test(
  'what is remembered of guests is bounded, and forgotten when it does not count any more',
  async (t) => {
    let state = after(station(), [goLive('ann'), setCode('c0de')])
    for (let i = 0; i < 1_100; i++) state = apply(state, enter(`g${i}`, 'no'), NOON + i).state
    t.equal(state.live.codeFailures.length, 1_000)
    t.equal(state.live.codeFailures[0]!.uid, 'uid of g100', 'the oldest go first')
    const later = apply(state, enter('eve', 'no'), NOON + 2 * HOUR).state
    t.equal(later.live.codeFailures.length, 1)

    state = after(state, [setCode(null)])
    for (let i = 0; i < 1_100; i++) state = after(state, [ask(`g${i}`), decide(`g${i}`, 'reject')], NOON + i)
    t.equal(state.live.guestCooldowns.length, 1_000)
    const muchLater = NOON + HOUR
    state = after(advance(state, muchLater).state, [ask('eve'), decide('eve', 'reject')], muchLater)
    t.same(state.live.guestCooldowns, [{ uid: 'uid of eve', sinceMs: muchLater }])
  },
)

t.test('O8: a donated song that waits keeps hosts from talking, not from being on the air', async (t) => {
  const donated = ordered(playing(tracks(20), 'sound'), track('gift'), 'donated')
  const state = after(station({}, donated), [goLive('ann')])
  t.equal(refusalOf(state, { type: 'pause-queue', socketId: socket('ann'), when: 'now' }), 'DONATED_QUEUED')
  t.same(names(state), ['ann'])
})

t.test(
  'whatever people and time do: slots, roles and timers hold, and a copy of the state does the same',
  async (t) => {
    const seen = {
      guest: 0,
      specialGuest: 0,
      hosts: 0,
      requests: 0,
      approvals: 0,
      paused: 0,
      replaced: 0,
      ended: 0,
    }
    const people = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal']
    for (let run = 0; run < 150; run++) {
      const random = randomFrom(run * 7_919 + 3)
      const one = <T>(list: readonly T[]) => list[random(list.length)]!
      const limited = {
        ...hosting,
        slots: one([0, 1, 2, 3, 4, 4]),
        guestRequestExpiryMs: one([0, MINUTE]),
        guestCooldownMs: one([0, 2 * MINUTE]),
        guestMs: 3 * MINUTE,
        specialGuestMs: 5 * MINUTE,
      }
      let nowMs = NOON
      let state = station(limited)
      const step = (make: (state: PlayoutState) => Step) => {
        const made = make(state)
        if (!isDeepStrictEqual(make(JSON.parse(JSON.stringify(state))), made))
          t.fail('a copy of the state does something else', { run })
        assertTold(t, state, made)
        state = made.state
        for (const effect of made.effects) {
          seen.ended += Number(effect.type === 'live-ended')
          seen.replaced += Number(effect.type === 'live-ended' && effect.reason === 'session_replaced')
        }
      }
      const command = (): Command => {
        const name = one(people)
        const host = one(people.slice(0, 3))
        const code = one(['right', 'right', 'right', 'wrong'])
        const by = one(['host', 'moderator'] as const)
        const replica = one(['api 1', 'api 2'])
        const commands: Command[] = [
          goLive(host, one(['1', '2', '3']), true),
          goLive(host, one(['1', '2', '3'])),
          goLive(random(9) ? host : name),
          ask(name, { replica, address: one(['here', 'there']) }),
          ask(name),
          decide(name, 'accept'),
          decide(state.live.requests[0]?.nickname ?? name, one(['accept', 'accept', 'reject'])),
          connect(name),
          connect(state.live.approvals[0]?.nickname ?? name),
          connect(state.live.approvals[0]?.nickname ?? name),
          enter(name, code),
          setCode(random(3) ? null : 'right', { isReplacing: random(2) === 0, lifeMs: 0 }),
          mute(name, by, random(2) === 0),
          { type: 'set-mic', socketId: socket(name), isOn: random(2) === 0 },
          { type: 'set-gain', socketId: socket(name), gain: random(12) },
          { type: 'pause-queue', socketId: socket(host), when: one(['now', 'afterTrack']) },
          leave(one([name, name, host])),
        ]
        const rare: Command[] = [
          kick(name, by),
          ban(name),
          { type: 'ban-guest', targetId: socket(name) },
          { type: 'replica-gone', replica },
          { type: 'resume-queue', socketId: socket(name) },
        ]
        return one(random(8) ? commands : rare)
      }
      for (let i = 0; i < 60; i++) {
        nowMs += one([0, SECOND, SECOND, 20 * SECOND, random(3) ? 0 : 3 * MINUTE])
        step((state) => advance(state, nowMs))
        const next = command()
        step((state) => apply(state, next, nowMs))
        if (random(100) === 0)
          step((state) => learn(state, { type: 'hosting', hosting: { ...limited, isOn: false } }, nowMs))
        if (random(3) === 0) step((state) => learn(state, { type: 'hosting', hosting: limited }, nowMs))
        assertLive(t, state, nowMs)
        const { participants, requests, approvals } = state.live
        for (const role of ['guest', 'specialGuest'] as const)
          seen[role] += Number(participants.some((participant) => participant.role === role))
        seen.hosts += Number(participants.filter(({ role }) => role === 'host').length === 2)
        seen.requests += Number(requests.length > 1)
        seen.approvals += Number(approvals.length > 0)
        seen.paused += Number(state.isPaused)
      }
      const { participants, requests, approvals, code } = advance(state, nowMs + 2 * HOUR).state.live
      const left = participants.filter(({ role }) => role !== 'host').length + approvals.length
      if (left || code || (limited.guestRequestExpiryMs && requests.length)) t.fail('it never ends', { run })
    }
    t.ok(Math.min(...Object.values(seen)) > 30, 'all of it happened', seen)
  },
)

/** Fails where somebody is on the air, or wants to be, as it must not be. */
function assertLive(t: Test, state: PlayoutState, nowMs: number): void {
  const { participants, requests, approvals, code, codeFailures, guestCooldowns } = state.live
  const count = (role: string) =>
    [...participants, ...approvals].filter((candidate) => candidate.role === role).length
  const sockets = [...participants, ...requests, ...approvals].map(({ socketId }) => socketId)
  const isTwice = (list: (string | null)[]) => new Set(list).size !== list.length
  const problems = [
    participants.length > state.hosting.slots && 'more people than slots',
    approvals.length > state.hosting.slots && 'more approvals than slots',
    (count('host') > 2 || count('guest') > 1 || count('specialGuest') > 1) && 'too many of a role',
    isTwice(sockets) && 'somebody is there twice',
    isTwice(requests.map(({ uid }) => uid)) && 'somebody asks twice',
    isTwice(participants.flatMap(({ adminId }) => adminId ?? [])) && 'an account is there twice',
    participants.length > 0 && !isHostOnline(state) && 'guests among themselves',
    requests.length > 0 && !isHostOnline(state) && 'a request that nobody can answer',
    requests.length > 0 && code && 'a request beside a code',
    state.isPaused && !isHostOnline(state) && 'a pause without hosts',
    participants.some(({ role, endsAtMs }) => (role === 'host') !== (endsAtMs === null)) &&
      'a guest for ever',
    participants.some(({ gain }) => gain < 2 || gain > 7) && 'a gain out of bounds',
    !state.hosting.isOn && (sockets.length > 0 || code) && 'live although hosting is off',
    (liveDueMs(state) ?? Number.POSITIVE_INFINITY) <= nowMs && 'something is overdue',
    (nextDueMs(state) ?? Number.POSITIVE_INFINITY) > (liveDueMs(state) ?? Number.POSITIVE_INFINITY) &&
      'time is not awaited',
    codeFailures.some(({ atMs }) => atMs.length > 3) && 'more tries than allowed',
    isTwice([...guestCooldowns.map(({ uid }) => uid)]) && 'somebody waits twice',
    !isDeepStrictEqual(JSON.parse(JSON.stringify(state)), state) && 'the state is not plain JSON',
  ].filter(Boolean)
  if (problems.length) t.fail(problems.join('; '), { state: state.live, hosting: state.hosting })
}

/** Fails where somebody came or went and nobody was told. */
function assertTold(t: Test, before: PlayoutState, { state: after, effects }: Step): void {
  const there = new Set(before.live.participants.map(({ socketId }) => socketId))
  for (const effect of effects) {
    if (effect.type === 'live-started') there.add(effect.participant.socketId)
    if (effect.type === 'live-ended' && !there.delete(effect.participant.socketId)) t.fail('ended twice')
  }
  const now = new Set(after.live.participants.map(({ socketId }) => socketId))
  if (!isDeepStrictEqual(there, now)) t.fail('what was told is not what is', { effects })
}
