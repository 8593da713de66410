import t from 'tap'
import {
  after,
  ask,
  asking,
  ban,
  connect,
  decide,
  enter,
  expected,
  goLive,
  guestOnAir,
  hosting,
  hostingStation,
  kick,
  leave,
  MINUTE,
  mute,
  names,
  refusal,
  refusalOf,
  setCode,
  socket,
  speaker,
  told,
} from '../../../../tests/harness/air/live-station.ts'
import {
  alwaysDay,
  HOUR,
  NOON,
  ordered,
  playing,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import type { Command } from '../model/commands/commands.ts'
import { initialState } from '../model/initial-state.ts'
import type { Participant } from '../model/live-state.ts'
import type { PlayoutState } from '../model/state.ts'
import { readState } from '../saved/state-versions.ts'
import { advance } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { resume } from '../step/resume.ts'
import { liveDueMs } from './guests.ts'
import { isHostOnline, liveRoleOf, liveRoster, pendingGuests, shownCode } from './roster.ts'

const away = { replica: 'api 2' }
/** A host, a guest, and a special guest of another process. */
const ofTwoProcesses = () =>
  after(hostingStation({ slots: 9 }), [
    goLive('ann'),
    ...guestOnAir('gus'),
    setCode('c0de'),
    { ...enter('sue', 'c0de'), speaker: speaker('sue', away) } as Command,
    connect('sue'),
    setCode(null),
  ])

/** Two hosts talk; one guest asks, another is approved. */
const talking = () =>
  after(hostingStation({ slots: 9 }, playing(tracks(20), 'sound')), [
    goLive('ann'),
    goLive('bob'),
    ...guestOnAir('gus'),
    { type: 'leave-live', socketId: socket('gus') },
    ask('hal'),
    ask('ida'),
    decide('hal', 'accept'),
    { type: 'pause-queue', socketId: socket('ann'), when: 'now' },
  ])

/** Two hosts, a guest and a special guest. */
const ofAllRoles = () =>
  after(hostingStation({ slots: 9 }), [
    goLive('ann'),
    goLive('bob'),
    ...guestOnAir('gus'),
    setCode('c0de'),
    enter('sue', 'c0de'),
    connect('sue'),
  ])

t.test('H1b: there are two hosts at most', async (t) => {
  const two = after(hostingStation(), [goLive('ann'), goLive('bob')])
  t.same(liveRoster(two), [
    { id: 'socket of ann', login: 'ann', role: 'host', muted: false },
    { id: 'socket of bob', login: 'bob', role: 'host', muted: false },
  ])
  t.equal(refusalOf(two, goLive('cyd')), 'SLOTS_TAKEN', 'two hosts are enough')
})

t.test('H1d: a host who goes live again changes nothing', async (t) => {
  const two = after(hostingStation(), [goLive('ann'), goLive('bob')])
  const again = apply(two, goLive('ann'), NOON + 1)
  t.same([again.outcome, again.effects, again.state], [{ ok: true, isNew: false }, [], two], 'twice is once')
})

t.test('H1b, H1c: there is one guest of each sort, and an approval holds its slot', async (t) => {
  const two = after(hostingStation(), [goLive('ann'), goLive('bob')])
  const full = after(two, [...guestOnAir('gus'), setCode('c0de'), enter('sue', 'c0de')])
  t.same(
    [pendingGuests(full), names(full)],
    [[{ id: 'socket of sue', nickname: 'sue', role: 'specialGuest' }], ['ann', 'bob', 'gus']],
  )
  t.equal(refusalOf(full, enter('tom', 'c0de')), 'GUEST_CODE_REFUSED room_full', 'an approval holds its slot')
  t.equal(refusalOf(after(full, [leave('gus')]), enter('tom', 'c0de')), 'GUEST_CODE_REFUSED room_full')
  t.equal(liveRoleOf(after(full, [connect('sue')]), socket('sue')), 'specialGuest')
  t.equal(liveRoleOf(full, socket('sue')), null, 'who may come is not there yet')
})

t.test('H1b: hosts and guests share the slots', async (t) => {
  const one = hostingStation({ slots: 1 })
  t.equal(refusalOf(after(one, [goLive('ann')]), goLive('bob')), 'SLOTS_TAKEN')
  t.equal(refusalOf(after(one, [goLive('ann')]), ask('gus')), 'GUEST_REQUEST_REFUSED room_full')
})

t.test('H1c: an approval keeps no first host away', async (t) => {
  const one = hostingStation({ slots: 1 })
  const early = after(one, [setCode('c0de'), enter('sue', 'c0de')])
  t.equal(refusalOf(early, connect('sue')), 'NO_HOSTS')
  const hosted = after(early, [goLive('ann')])
  t.same(names(hosted), ['ann'], 'an approval keeps no first host away')
  t.equal(refusalOf(hosted, connect('sue')), 'SLOTS_TAKEN')
})

t.test('H1c: an approval holds its slot against a second host', async (t) => {
  const guests = after(hostingStation({ slots: 3 }), [goLive('ann'), ask('gus'), decide('gus', 'accept')])
  t.equal(
    refusalOf(after(guests, [goLive('bob'), setCode('c0de')]), enter('sue', 'c0de'))?.split(' ')[1],
    'room_full',
  )
  t.equal(
    refusalOf(after(guests, [setCode('c0de'), enter('sue', 'c0de')]), goLive('bob')),
    'SLOTS_TAKEN',
    'approvals hold theirs against a second one',
  )
})

t.test('H1a: without hosting nobody comes on the air', async (t) => {
  const off = initialState(7, 'sound', alwaysDay, NOON)
  for (const command of [goLive('ann'), ask('gus'), connect('gus'), enter('sue', ''), setCode('c0de')])
    t.equal(refusalOf(off, command), 'FEATURE_UNAVAILABLE radioHosts', command.type)
})

t.test('H2: a second socket of an account has the place of the first only when it takes over', async (t) => {
  const first = after(hostingStation({ slots: 2 }), [goLive('ann'), ...guestOnAir('gus'), mute('ann')])
  const refused = apply(first, goLive('ann at home', 'account of ann'), NOON)
  t.same([refusal(refused), refused.state, told(refused)], ['LIVE_ELSEWHERE', first, []])
  const second = apply(first, goLive('ann at home', 'account of ann', true), NOON)
  t.same(told(second), ['ann ended: session_replaced', 'ann at home began'])
  t.same(names(second.state), ['ann at home', 'gus'], 'the last host was not gone for a moment')
  t.equal(second.state.live.participants[0]?.isMuted, true, 'no moderator is outwitted by another window')
  t.same(told(apply(second.state, leave('ann'), NOON)), [], 'the end of the first changes nothing')
  t.equal(refusalOf(first, goLive('gus')), 'ALREADY_LIVE', 'a guest is no host for having an account')
  const alone = apply(hostingStation(), goLive('ann', undefined, true), NOON)
  t.same([names(alone.state), told(alone)], [['ann'], ['ann began']], 'where there is nothing to take over')
  const two = after(hostingStation(), [goLive('ann'), goLive('bob')])
  t.equal(refusalOf(two, goLive('cyd', undefined, true)), 'SLOTS_TAKEN', 'nobody else gives way')
})

t.test('H3: a live session ends with its socket', async (t) => {
  const many = ofTwoProcesses()
  t.same(told(apply(many, leave('gus'), NOON)), ['gus ended: self'])
})

t.test('H3: a live session ends with its process', async (t) => {
  const many = ofTwoProcesses()
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
})

t.test('H3: the session of a guest ends with its time', async (t) => {
  const many = ofTwoProcesses()
  const settings = { ...hosting, guestMs: MINUTE, specialGuestMs: MINUTE, slots: 9 }
  const shorter = learn(many, { type: 'hosting', hosting: settings }, NOON).state
  t.same(told(advance(shorter, NOON + 15 * MINUTE - 1)), [], 'a running time is kept')
  const up = advance(shorter, NOON + 15 * MINUTE)
  t.same(told(up), ['gus ended: timeout'])
  const session = apply(many, connect('gus'), NOON + MINUTE).outcome
  t.same(session, { ok: true, role: 'guest', nickname: 'gus', expiresAtMs: NOON + 15 * MINUTE })
  t.same(told(advance(up.state, NOON + HOUR)), ['sue ended: timeout'])
  t.same(told(advance(up.state, NOON + 100 * HOUR)), ['sue ended: timeout'], 'a host stays')
})

t.test('H3: a live session outlives the worker', async (t) => {
  const many = ofTwoProcesses()
  const taken = resume(readState(JSON.stringify(many)), NOON, NOON + 20 * MINUTE)
  t.same([names(taken.state), told(taken)], [['ann', 'sue'], ['gus ended: timeout']])
})

t.test('H4a: with the last host ends all that needs one, and the queue goes on', async (t) => {
  const talk = talking()
  const one = apply(talk, leave('ann'), NOON)
  t.same(told(one), ['ann ended: self'])
  t.same([asking(one.state), expected(one.state), one.state.isPaused], [['ida'], ['hal'], true])
  const none = apply(one.state, kick('bob'), NOON)
  t.same(told(none), ['bob ended: kick', 'socket of ida: no_admin', 'socket of hal: no_admin'])
  const { live, isPaused, onAir } = none.state
  t.same([live, isPaused, onAir.phase], [{ ...live, requests: [], approvals: [] }, false, 'track'])
  t.same([isHostOnline(one.state), isHostOnline(none.state)], [true, false])
  t.equal(refusalOf(after(none.state, [goLive('ann')]), ask('ida')), null, 'nobody has to wait for that')
})

t.test('H4a: guests end with the last host', async (t) => {
  const guests = after(hostingStation(), [goLive('ann'), ...guestOnAir('gus')])
  t.same(told(apply(guests, leave('ann'), NOON)), ['ann ended: self', 'gus ended: no_hosts'])
})

t.test('H4b: where hosting is switched off everybody ends', async (t) => {
  const talk = talking()
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
    const live = after(hostingStation(), [goLive('ann'), ...guestOnAir('gus')])
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

t.test('H6a: hosts mute and kick guests, moderators everybody', async (t) => {
  const live = ofAllRoles()
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
})

t.test('H6b: kicking a special guest ends the access code', async (t) => {
  const live = ofAllRoles()
  t.same(shownCode(apply(live, kick('gus'), NOON).state, NOON), { code: 'c0de', expiresAt: NOON + 8 * HOUR })
  t.same(shownCode(apply(live, kick('sue', 'host'), NOON).state, NOON), { code: null })
})

t.test('H6c: only ordinary guests can be banned', async (t) => {
  const live = ofAllRoles()
  const banGuest = (name: string): Command => ({ type: 'ban-guest', targetId: socket(name) })
  t.same(told(apply(live, banGuest('gus'), NOON)), ['gus ended: ban'])
  for (const name of ['ann', 'sue', 'nobody']) t.equal(refusalOf(live, banGuest(name)), 'GUEST_NOT_FOUND')
  t.same(told(apply(live, ban('gus'), NOON)), ['gus ended: ban'])
  for (const name of ['ann', 'sue', 'nobody']) t.same(told(apply(live, ban(name), NOON)), [])
})

t.test('H6c: requests and approvals of a banned household end', async (t) => {
  const wanted = after(hostingStation({ slots: 9 }), [
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

t.test('O8: a donated song that waits keeps hosts from talking, not from being on the air', async (t) => {
  const donated = ordered(playing(tracks(20), 'sound'), track('gift'), 'donated')
  const state = after(hostingStation({}, donated), [goLive('ann')])
  t.equal(refusalOf(state, { type: 'pause-queue', socketId: socket('ann'), when: 'now' }), 'DONATED_QUEUED')
  t.same(names(state), ['ann'])
})
