import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import {
  ask,
  ban,
  connect,
  decide,
  enter,
  goLive,
  hosting,
  hostingStation,
  kick,
  leave,
  MINUTE,
  mute,
  SECOND,
  setCode,
  socket,
} from '../../../../tests/harness/air/live-station.ts'
import { HOUR, NOON, randomFrom } from '../../../../tests/harness/air/programme.ts'
import type { Command } from '../model/commands/commands.ts'
import type { PlayoutState } from '../model/state.ts'
import type { Step } from '../model/steps.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { liveDueMs } from './guests.ts'
import { isHostOnline } from './roster.ts'

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
      let state = hostingStation(limited)
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
