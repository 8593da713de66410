import t from 'tap'
import {
  clip,
  clipStation,
  endOfSound,
  some,
  withPhrases,
} from '../../../../tests/harness/air/clip-station.ts'
import { track } from '../../../../tests/harness/air/programme.ts'
import { learn, type PlayoutState, projectAir, readState, resume } from '../index.ts'

t.test('P1 a phrase begins so long before the end of each song that is longer than that', async (t) => {
  const songs = [14_000, 15_000, 16_000, 60_000, null].map((ms, i) => track(`t${i}`, `artist ${i}`, ms))
  let state = clipStation(withPhrases(some(3)), songs)
  const seen = new Map<number | null, number | undefined>()
  for (let i = 0; i < 30; i++) {
    state = endOfSound(state).state
    const { onAir } = state
    if (onAir.phase === 'track') seen.set(onAir.entry.track.durationMs, onAir.phrase?.fromMs)
  }
  t.same(
    seen,
    new Map([
      [14_000, undefined],
      [15_000, undefined],
      [16_000, 1_000],
      [60_000, 45_000],
      [null, undefined],
    ]),
  )
  const early = clipStation(withPhrases(some(3), 5_000), songs)
  t.match(endOfSound(endOfSound(early).state).state.clips.phrases.offsetMs, 5_000)
})

t.test(
  'P2 the phrase of a song is drawn when it starts and is the same for whoever takes over',
  async (t) => {
    const { state, atMs } = endOfSound(clipStation(withPhrases(some(3))))
    const plan = projectAir(state, atMs + 10_000)
    t.ok(plan.current?.phrase)
    const saved = readState(JSON.stringify(state))
    const resumed = resume(saved, atMs + 50_000, atMs + 55_000).state
    t.same(projectAir(resumed, atMs + 55_000).current?.phrase, plan.current?.phrase)
  },
)

t.test('P3 no phrase is heard twice in a row, unless it is the only one', async (t) => {
  const phrasesOf = (state: PlayoutState) =>
    Array.from({ length: 300 }, () => {
      state = endOfSound(state).state
      return state.onAir.phase === 'track' ? state.onAir.phrase?.clip.id : undefined
    })
  const drawn = phrasesOf(clipStation(withPhrases(some(3))))
  t.notOk(drawn.some((id, i) => id === drawn[i - 1]))
  t.same(new Set(drawn), new Set(some(3).map(({ id }) => id)))
  t.same(new Set(phrasesOf(clipStation(withPhrases([clip('named')])))), new Set(['named']))
})

t.test('P4 a phrase that may not go on air any more is not heard, unless it sounds already', async (t) => {
  const { state, atMs } = endOfSound(clipStation(withPhrases(some(3))))
  if (state.onAir.phase !== 'track' || !state.onAir.phrase) throw new Error()
  const { fromMs, clip } = state.onAir.phrase
  const others = withPhrases(some(3).filter(({ id }) => id !== clip.id))
  const told = (ms: number) => learn(state, { type: 'clips', clips: others }, atMs + ms).state.onAir
  t.notMatch(told(fromMs - 1), { phrase: Object })
  t.match(told(fromMs), { phrase: { fromMs } })
})

t.test('P5 a phrase that cannot be decoded leaves the song as it is, and does not come again', async (t) => {
  const { state, atMs } = endOfSound(clipStation(withPhrases(some(2))))
  if (state.onAir.phase !== 'track' || !state.onAir.phrase) throw new Error()
  const { phrase, ...song } = state.onAir
  const learned = learn(state, { type: 'clip-unplayable', clipId: phrase.clip.id }, atMs + 1000).state
  t.same(learned.onAir, song)
  t.notMatch(endOfSound(endOfSound(learned).state).state.onAir, { phrase: { clip: { id: phrase.clip.id } } })
})
