import t from 'tap'
import {
  after,
  ask,
  asking,
  connect,
  decide,
  enter,
  expected,
  goLive,
  guestOnAir,
  hostingStation,
  leave,
  MINUTE,
  refusal,
  refusalOf,
  SECOND,
  setCode,
  socket,
  speaker,
  told,
} from '../../../../tests/harness/air/live-station.ts'
import { HOUR, NOON } from '../../../../tests/harness/air/programme.ts'
import type { Command } from '../model/commands/commands.ts'
import type { PlayoutState } from '../model/state.ts'
import { advance } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { guestQueue, liveRoleOf } from './roster.ts'

const reason = (state: PlayoutState, command: Command, nowMs = NOON) =>
  refusalOf(state, command, nowMs)?.replace('GUEST_REQUEST_REFUSED ', '') ?? null

/** A host is on the air, and there is a slot for a guest. */
const withRoom = () => after(hostingStation({ slots: 3 }), [goLive('ann')])

const waits = (state: PlayoutState, nowMs = NOON) =>
  refusalOf(after(state, [goLive('ann')]), ask('gus'), nowMs)?.includes('cooldown') ?? false

/** A host is on the air, with one slot left, and somebody asks for it. */
const withRequest = () => after(hostingStation({ slots: 2 }), [goLive('ann'), ask('gus')])

t.test('H7a: a request is refused for the first reason that holds', async (t) => {
  const hosted = withRoom()
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
})

t.test('H7: nobody asks who is approved or on the air', async (t) => {
  const special = after(hostingStation(), [
    setCode('c0de'),
    enter('sue', 'c0de'),
    goLive('ann'),
    setCode(null),
  ])
  t.equal(refusalOf(special, ask('sue')), 'ALREADY_LIVE')
  t.equal(refusalOf(after(special, [connect('sue')]), ask('sue')), 'ALREADY_LIVE')
})

t.test(
  'H7b: a repeated request keeps its place, restarts its time, and belongs to the new socket',
  async (t) => {
    const hosted = withRoom()
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
  },
)

t.test('H7b: a guest whose request another socket of the household replaced is told', async (t) => {
  const asked = after(withRoom(), [ask('hal'), ask('ida')])
  const again = (socketId: string): Command => ({
    type: 'request-guest',
    speaker: { ...speaker('hal'), socketId },
    nickname: 'Hal',
  })
  const replaced = apply(asked, again('socket 2 of hal'), NOON)
  t.same([replaced.outcome, told(replaced)], [{ ok: true }, ['socket of hal: replaced']])
  t.same(told(apply(replaced.state, again('socket 2 of hal'), NOON)), [], 'who repeats it replaces nobody')
  t.same(told(apply(replaced.state, leave('hal'), NOON)), [])
  t.same(asking(after(replaced.state, [leave('hal')])), ['Hal', 'ida'], 'the first has nothing to take back')
})

t.test('H7a: a hundred requests wait at most', async (t) => {
  const hosted = withRoom()
  const many = after(
    hosted,
    Array.from({ length: 100 }, (_, i) => ask(`g${i}`)),
  )
  t.equal(reason(many, ask('gus')), 'room_full')
  t.equal(reason(many, ask('g7')), null, 'whoever waits may ask again')
})

t.test('H8b: the cooldown begins with a rejection', async (t) => {
  const asked = withRequest()

  const rejected = apply(asked, decide('gus', 'reject'), NOON)
  t.same([told(rejected), rejected.outcome], [['socket of gus: no'], { ok: true, nickname: 'gus' }])
  t.ok(waits(rejected.state))
  t.equal(refusalOf(rejected.state, decide('gus', 'accept')), 'GUEST_REQUEST_NOT_FOUND')
})

t.test('H8a, H8b: an unanswered request expires, and the cooldown begins', async (t) => {
  const asked = withRequest()
  const expired = advance(asked, NOON + MINUTE)
  t.same(told(expired), ['socket of gus: late'])
  t.ok(waits(expired.state, NOON + 11 * MINUTE - 1))
  t.notOk(waits(expired.state, NOON + 11 * MINUTE), 'it counts from the expiry')
})

t.test('H8b: the cooldown begins with an acceptance that finds no slot', async (t) => {
  const asked = withRequest()
  const full = apply(after(asked, [goLive('bob')]), decide('gus', 'accept'), NOON)
  t.same([told(full), refusal(full)], [['socket of gus: room_full'], 'SLOTS_TAKEN'])
  t.same([asking(full.state), waits(after(full.state, [leave('bob')]))], [[], true])
})

t.test('H8b: the cooldown does not begin with an acceptance', async (t) => {
  const asked = withRequest()
  const accepted = apply(asked, decide('gus', 'accept'), NOON)
  t.same([told(accepted), accepted.outcome], [['socket of gus: yes'], { ok: true, nickname: 'gus' }])
  t.notOk(waits(after(accepted.state, [connect('gus'), leave('gus')])))
})

t.test('H8b: the cooldown does not begin where requests end otherwise', async (t) => {
  const asked = withRequest()
  t.notOk(waits(after(asked, [setCode('c0de'), setCode(null)])), 'not where all requests end')
  t.notOk(waits(after(asked, [leave('gus')])), 'not where it is taken back')
  t.same(told(apply(asked, leave('gus'), NOON)), [])
})

t.test('H8: without limits a request waits for ever, and nobody has to wait', async (t) => {
  const unlimited = after(hostingStation({ guestCooldownMs: 0, guestRequestExpiryMs: 0 }), [
    goLive('ann'),
    ask('gus'),
  ])
  t.same(asking(advance(unlimited, NOON + 100 * HOUR).state), ['gus'], 'no expiry, it waits')
  t.same(waits(after(unlimited, [decide('gus', 'reject')])), false)
})

t.test('H9: an approved guest comes on the air once', async (t) => {
  const accepted = after(hostingStation(), [goLive('ann'), ask('gus'), decide('gus', 'accept')])
  t.equal(refusalOf(accepted, connect('hal')), 'GUEST_NOT_APPROVED')
  t.equal(refusalOf(accepted, connect('ann')), 'GUEST_NOT_APPROVED', 'a host is no guest')
  const came = apply(accepted, connect('gus'), NOON + MINUTE)
  t.same(came.outcome, { ok: true, role: 'guest', nickname: 'gus', expiresAtMs: NOON + 16 * MINUTE })
  t.same([told(came), expected(came.state)], [['gus began'], []])
  const again = apply(came.state, connect('gus'), NOON + 2 * MINUTE)
  t.same([again.outcome, again.effects, again.state], [came.outcome, [], came.state], 'twice is once')
})

t.test('H9a: an approval ends after two minutes, or with its socket', async (t) => {
  const accepted = after(hostingStation(), [goLive('ann'), ask('gus'), decide('gus', 'accept')])
  t.same(told(advance(accepted, NOON + 2 * MINUTE - 1)), [])
  const late = advance(accepted, NOON + 2 * MINUTE)
  t.same([told(late), expected(late.state)], [['socket of gus: late'], []])
  t.equal(refusalOf(late.state, connect('gus'), NOON + 2 * MINUTE), 'GUEST_NOT_APPROVED')
  t.equal(refusalOf(late.state, ask('gus'), NOON + 2 * MINUTE), null)
  t.equal(refusalOf(after(accepted, [leave('gus')]), connect('gus')), 'GUEST_NOT_APPROVED', 'or is gone')
  const becameHost = after(accepted, [goLive('gus')])
  t.same([liveRoleOf(becameHost, socket('gus')), expected(becameHost)], ['host', []])
})

t.test('H8b: the last thousand cooldowns are remembered, as long as they last', async (t) => {
  let state = after(hostingStation(), [goLive('ann')])
  for (let i = 0; i < 1_100; i++) state = after(state, [ask(`g${i}`), decide(`g${i}`, 'reject')], NOON + i)
  t.equal(state.live.guestCooldowns.length, 1_000)
  const muchLater = NOON + HOUR
  state = after(advance(state, muchLater).state, [ask('eve'), decide('eve', 'reject')], muchLater)
  t.same(state.live.guestCooldowns, [{ uid: 'uid of eve', sinceMs: muchLater }])
})
