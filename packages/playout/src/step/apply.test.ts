import t from 'tap'
import { MINUTE, release, songs, switchTo } from '../../../../tests/harness/air/night-station.ts'
import {
  assertLegal,
  HOUR,
  host,
  isSame,
  library,
  NOON,
  onAir,
  ordered,
  randomFrom,
  stationFact,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import { inForm } from '../../../../tests/harness/long-form.ts'
import type { Effect } from '../model/commands/commands.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import { dueMode } from '../model/schedule.ts'
import type { Limits, Pace, PlayoutState, Schedule, UsableClips } from '../model/state.ts'
import type { Step } from '../model/steps.ts'
import { projectSync } from '../project/sync.ts'
import { lockOf } from '../queue/projection.ts'
import { advance } from './advance.ts'
import { apply } from './apply.ts'
import { learn } from './learn.ts'
import { resume } from './resume.ts'

const HISTORIES = inForm({ short: 600, long: 10_000 })

const talks = [
  { type: 'pause-queue', when: 'now' },
  { type: 'pause-queue', when: 'afterTrack' },
  { type: 'resume-queue' },
  { type: 'choose-background', clipId: 'air' },
] as const

const music = (id: string) => ({ id, media: `background/${id}.mp3`, durationMs: 2 * MINUTE })

t.test(
  'whatever admins, time and sound do: one mode at a time, and the same air for whoever works it out',
  async (t) => {
    const seen = { switched: 0, grouped: 0, forced: 0, waiting: 0, withheld: 0, talked: 0, resumed: 0 }
    for (let run = 0; run < HISTORIES; run++) {
      const random = randomFrom(run * 7_919 + 1)
      const schedule: Schedule = {
        natural: 'day',
        changes: Array.from(
          { length: 12 },
          (_, i) =>
            ({
              atMs: NOON + (i + 1) * 15 * MINUTE + random(3) * MINUTE,
              mode: i % 2 ? 'day' : 'night',
            }) as const,
        ),
      }
      const pace: Pace = random(2) ? 'clock' : 'sound'
      const limited: Partial<Limits> = {
        modeSwitchCooldownMs: random(2) * 5 * MINUTE,
        preparingMinMs: random(2) * 3_000,
        groupInsertCooldownMs: random(2) * MINUTE,
      }
      let state = learn(
        initialState(run, pace, schedule, NOON),
        stationFact(schedule, limited, pace),
        NOON,
      ).state
      if (pace === 'sound') {
        const background: UsableClips['background'] = {
          usable: { day: [music('sun'), music('air')], night: [music('moon')] },
          chosenBy: random(2) ? 'random' : 'hosts',
        }
        state = { ...state, live: { ...state.live, participants: [host('h')] } }
        state = learn(state, { type: 'clips', clips: { ...state.clips, background } }, NOON).state
      }
      let nowMs = NOON
      let isSlowLibrary = false
      const take = (step: Step) => {
        for (const effect of step.effects) if (effect.type === 'played') checkStart(effect, step.state)
        state = step.state
      }
      const checkStart = (
        { mode, track, startedAtMs }: Extract<Effect, { type: 'played' }>,
        { withheld, forced }: PlayoutState,
      ) => {
        if (!track.id.startsWith(mode)) t.fail('a track of the other mode was started', { run })
        if (withheld.some((hold) => hold.trackId === track.id && hold.untilMs - MINUTE < startedAtMs))
          t.fail('a withheld track was started', { run, forced })
      }
      for (let i = 0; i < 12; i++) {
        const before = state
        const beforeMs = nowMs
        nowMs += random(4) === 0 ? random(10 * MINUTE) : random(20_000)
        take(advance(state, nowMs))
        if (random(3) === 0) {
          // In two leaps or in one: whoever looks in between changes nothing, and a copy shows the same.
          const halfMs = beforeMs + random(nowMs - beforeMs + 1)
          const inTwo = advance(advance(before, halfMs).state, nowMs).state
          if (!isSame(inTwo, state)) t.fail('looking changed the air', { run })
          if (!isSame(projectSync(before, nowMs), projectSync(state, nowMs)))
            t.fail('a copy projects another air', { run })
        }

        const queue = upcoming(state)
        const size = 1 + random(16)
        const [target, song] = [random(2) ? 'day' : 'night', queue[random(queue.length || 1)]?.track] as const
        const beforeCommand = state
        switch (random(state.pendingSwitch ? 13 : 9)) {
          case 0:
          case 1: {
            const atMs = random(3) ? nowMs + random(random(2) ? MINUTE : 20 * MINUTE) : null
            const step = apply(state, switchTo(target, atMs), nowMs)
            const isMade = step.state.mode === target || step.state.pendingSwitch?.waiting
            if (step.outcome.ok && atMs === null && !isMade) t.fail('a switch that was not made')
            take(step)
            break
          }
          case 2:
            take(
              apply(
                state,
                { type: 'insert-group', mode: target, tracks: songs(target).slice(0, size) },
                nowMs,
              ),
            )
            break
          case 3:
          case 4: {
            if (!song) break
            const lock = lockOf(state, song.id)
            const step = apply(state, release(song.id), nowMs)
            if (step.outcome.ok !== (lock === null)) t.fail('a lock that does not hold', { run })
            take(step)
            break
          }
          case 5: {
            const settled = state.withheld.map(({ trackId }) => ({ trackId, track: null }))
            take(apply(state, { type: 'library-changed', ...(random(2) && { settled }) }, nowMs))
            break
          }
          case 6:
          case 9:
          case 10:
          case 11:
            if (song && onAir(state))
              take({
                state: ordered(
                  state,
                  { ...song, id: `${state.mode}/order.mp3` },
                  random(3) ? 'donated' : 'requested',
                ),
                effects: [],
              })
            break
          case 7:
            take(learn(state, { type: 'sound-ended', entryId: onAir(state)?.entryId ?? '' }, nowMs))
            break
          default:
            take(random(3) ? resume(state, nowMs - 5_000, nowMs) : resume(state, nowMs - HOUR, nowMs))
        }
        const asked = talks[random(4 * talks.length)]
        if (asked) take(apply(state, { ...asked, socketId: 'h' }, nowMs))
        if (state.onAir.phase === 'chat' && random(2)) {
          const { entryId } = state.onAir.background
          take(learn(state, { type: 'sound-ended', entryId }, nowMs))
        }
        if (state !== beforeCommand) take(advance(state, nowMs))
        isSlowLibrary = random(4) === 0
        if (!isSlowLibrary)
          for (const mode of wantedPlaylists(state))
            take(learn(state, library(tracks(size + 2, size, mode), mode), nowMs))
        take(advance(state, nowMs))
        assertLegal(t, state, nowMs)

        const { forced, onAir: air } = state
        seen.switched += Number(state.lastSwitchMs !== before.lastSwitchMs)
        seen.grouped += Number(state.lastGroupInsertMs !== before.lastGroupInsertMs)
        seen.forced += Number(forced !== null)
        seen.waiting += Number(Boolean(state.pendingSwitch?.waiting))
        seen.withheld += Number(state.withheld.length > 0)
        seen.talked += Number(air.phase === 'chat')
        seen.resumed += Number(air.phase === 'track' && air.resumedAtMs !== undefined)
        if (
          forced &&
          (forced.mode === schedule.changes.findLast((change) => change.atMs <= nowMs)?.mode ||
            (forced.untilMs !== null && forced.untilMs <= nowMs))
        )
          t.fail('the schedule wants the same: nothing is forced', { run })
        if (
          forced &&
          forced.mode !== state.mode &&
          !state.isPaused &&
          !state.playlist.entries.slice(state.playlist.index).some((entry) => entry.orderType === 'donated')
        )
          t.fail('a forced mode is on air', { run, state })
        if (air.phase === 'preparing' && dueMode(state, nowMs) !== state.mode)
          t.fail('the wrong mode is prepared', { run })
        if (
          air.phase === 'track' &&
          !isSlowLibrary &&
          state.withheld.length === 0 &&
          state.unplayable.length === 0 &&
          upcoming(state).length < 10 &&
          state.prepared[state.mode]!.entries.length >= 10
        )
          t.fail('L5: there are always ten')
      }
    }
    t.ok(Math.min(...Object.values(seen)) > 30, 'all of it happened', seen)
  },
)
