import t from 'tap'
import { changesAt, clipStation, clips, some } from '../../../../tests/harness/air/clip-station.ts'
import { assertLegal, HOUR, host, NOON, randomFrom, tracks } from '../../../../tests/harness/air/programme.ts'
import { advance, apply, learn, readState, resume } from '../index.ts'

t.test('whatever happens, the air stays legal and songs are played as often as they start', async (t) => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = randomFrom(seed)
    let nowMs = NOON
    const told = clips({
      jingles: { frequency: seed % 2 ? 'random' : 1 },
      phrases: { usable: { day: some(2), night: [] }, offsetMs: 15_000 },
    })
    let state = clipStation(told, tracks(12), changesAt(NOON + HOUR))
    state = { ...state, live: { ...state.live, participants: [host('h')] } }
    let shown: string | null = null
    let played = 0
    let starts = 0
    for (let i = 0; i < 300; i++) {
      nowMs += random(20_000)
      const { onAir } = state
      const entryId = onAir.phase === 'track' ? onAir.entry.entryId : ''
      const clipId = onAir.phase === 'jingle' ? onAir.jingle.clip.id : 'day-1'
      const passed = advance(state, nowMs)
      const steps = [
        () => apply(passed.state, { type: 'skip' }, nowMs),
        () => apply(passed.state, { type: 'pause-queue', socketId: 'h', when: 'now' }, nowMs),
        () => apply(passed.state, { type: 'resume-queue', socketId: 'h' }, nowMs),
        () => learn(passed.state, { type: 'sound-ended', entryId }, nowMs),
        () => learn(passed.state, { type: 'clip-unplayable', clipId }, nowMs),
        () => learn(passed.state, { type: 'clips', clips: told }, nowMs),
        () => resume(readState(JSON.stringify(passed.state)), nowMs, nowMs + 1),
        () => ({ state: advance(passed.state, nowMs).state, effects: [] }),
      ]
      const before = passed.state.onAir
      const step = steps[random(steps.length)]!()
      state = step.state
      nowMs += 1
      assertLegal(t, state, nowMs)
      played += [...passed.effects, ...step.effects].filter(({ type }) => type === 'played').length
      for (const air of [before, state.onAir]) {
        const id = air.phase === 'track' ? air.entry.entryId : null
        if (id !== null && id !== shown) starts++
        if (id !== null) shown = id
      }
    }
    t.ok(played >= starts - 1, `${played} played, ${starts} started`)
  }
})
