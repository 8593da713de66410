import t from 'tap'
import {
  assertLegal,
  HOUR,
  library,
  NOON,
  onAir,
  playing,
  randomFrom,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import type { Effect } from '../model/commands/commands.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import { naturalMode } from '../model/schedule.ts'
import type { PlayoutState, Schedule } from '../model/state.ts'
import type { Step } from '../model/steps.ts'
import { projectSync } from '../project/sync.ts'
import { advance, nextDueMs } from './advance.ts'
import { apply } from './apply.ts'
import { learn } from './learn.ts'
import { resume } from './resume.ts'

t.test('T1: in sync mode a track ends exactly at its duration, however late anybody looks', async (t) => {
  const start = playing(tracks(20))
  const first = onAir(start)!
  const [second, third] = upcoming(start)
  t.equal(nextDueMs(start), NOON + first.track.durationMs!)
  t.equal(onAir(advance(start, NOON + first.track.durationMs! - 1).state)?.entryId, first.entryId)

  const late = advance(start, NOON + first.track.durationMs! + second!.track.durationMs! + 5)
  t.equal(onAir(late.state)?.entryId, third!.entryId)
  t.match(late.state.onAir, { startedAtMs: NOON + first.track.durationMs! + second!.track.durationMs! })
  t.same(
    late.effects.map((effect) => effect.type === 'played' && effect.startedAtMs),
    [NOON + first.track.durationMs!, NOON + first.track.durationMs! + second!.track.durationMs!],
    'T5: each start gives one effect, with its own moment',
  )
})

t.test('T2: in stream mode the sound ends a track; the clock only watches', async (t) => {
  const start = playing(tracks(20), 'sound')
  const { entryId, track } = onAir(start)!
  t.equal(onAir(advance(start, NOON + track.durationMs! + 29_999).state)?.entryId, entryId)
  t.not(onAir(advance(start, NOON + track.durationMs! + 30_000).state)?.entryId, entryId)
  const ended = learn(start, { type: 'sound-ended', entryId }, NOON + 59_123)
  t.match(ended.state.onAir, { phase: 'track', startedAtMs: NOON + 59_123, entry: upcoming(start)[0] })
  t.equal(
    learn(ended.state, { type: 'sound-ended', entryId }, NOON + 60_000).state,
    ended.state,
    'said twice, once done',
  )
})

t.test('T3: a track of unknown duration is left after 600 s', async (t) => {
  const start = playing([track('a', 'x', null), track('b', 'y', null)])
  t.equal(nextDueMs(start), NOON + 600_000)
  t.match(projectSync(start, NOON + 90_000), { duration: 0, seek: 90 })
})

t.test('random commands, facts and times: no illegal state, and a replay gives the same air', async (t) => {
  for (let run = 0; run < 60; run++) {
    const random = randomFrom(run + 1)
    const schedule: Schedule = {
      natural: 'day',
      changes: Array.from(
        { length: 20 },
        (_, i) => ({ atMs: NOON + (i + 1) * 400_000, mode: i % 2 ? 'day' : 'night' }) as const,
      ),
    }
    const pace = random(2) ? 'clock' : 'sound'
    const inputs: ((state: PlayoutState, nowMs: number) => Step)[] = []
    const times: number[] = []
    let nowMs = NOON
    for (let i = 0; i < 150; i++) {
      nowMs += random(4) === 0 ? random(200_000) : random(3_000)
      times.push(nowMs)
      const pick = random(100)
      const size = random(16)
      inputs.push((state, atMs) => {
        if (pick < 55) {
          const [mode] = wantedPlaylists(state)
          return mode
            ? learn(state, library(tracks(size, 1 + (size % 5)), mode), atMs)
            : { state, effects: [] }
        }
        if (pick < 65) return apply(state, { type: 'library-changed' }, atMs)
        const queue = [onAir(state), ...upcoming(state)].filter((entry) => entry !== null)
        const entryId = queue[pick < 85 ? 0 : pick % Math.max(1, queue.length)]?.entryId ?? 'none'
        if (pick < 85) return learn(state, { type: 'sound-ended', entryId }, atMs)
        if (pick < 91) return learn(state, { type: 'unplayable', entryId }, atMs)
        if (pick < 95) return learn(state, { type: 'blank', entryId, wasHeard: pick === 91 }, atMs)
        return resume(state, atMs - (pick % 2 ? 1000 : HOUR), atMs)
      })
    }
    const play = () => {
      let state = initialState(run, pace, schedule, NOON)
      const effects: Effect[] = []
      inputs.forEach((input, i) => {
        const passed = advance(state, times[i]!)
        const step = input(passed.state, times[i]!)
        const settled = advance(step.state, times[i]!)
        state = settled.state
        effects.push(...passed.effects, ...step.effects, ...settled.effects)
        assertLegal(t, state, times[i]!)
      })
      return { state, effects }
    }
    const first = play()
    t.same(play(), first, `run ${run}`)
    for (const effect of first.effects) {
      if (effect.type === 'played' && naturalMode(schedule, effect.startedAtMs) !== effect.mode)
        t.fail('a track of the wrong mode was started')
    }
  }
})
