import t from 'tap'
import { type Heard, judgeSound, judgeState, type Plan, THRESHOLDS } from './judge.ts'
import { persist, WELL } from './persistence.ts'

const NOW_MS = 1_000_000
const well: Heard = {
  playedOutMs: NOW_MS + 4_000,
  connection: 'connected',
  strayAtMs: null,
  silentMs: 0,
  clippedShare: 0,
  minute: { highest: -14, median: -16 },
  repeatingMs: 0,
  title: 'Hilda - Morning Tide',
}
const plan: Plan = {
  soundSinceMs: NOW_MS - 100_000,
  title: 'Hilda - Morning Tide',
  titleSinceMs: NOW_MS - 100_000,
  lufs: -16,
  dueMs: NOW_MS + 60_000,
}
const causes = (heard: Partial<Heard>, planned: Partial<Plan> = {}) => [
  ...judgeSound({ ...well, ...heard }, { ...plan, ...planned }, THRESHOLDS, NOW_MS).keys(),
]

t.test('each fault is found by its own cause, and a programme without one by none', async (t) => {
  t.same(causes({}), [])
  t.same(causes({ playedOutMs: NOW_MS - 1, silentMs: 60_000 }), ['no_bytes'], 'no bytes is not silence')
  t.same(causes({ strayAtMs: NOW_MS - 1_000 }), ['broken_frames'])
  t.same(causes({ strayAtMs: NOW_MS - 6_000 }), [])
  t.same(causes({ silentMs: 8_100 }), ['silence'])
  t.same(causes({ clippedShare: 0.02 }), ['clipping'])
  t.same(causes({ repeatingMs: 3_100 }), ['repeating'])
  t.same(causes({ title: 'Hilda - The Song Before' }), ['title'])
  t.same([...judgeState({ ...plan, dueMs: NOW_MS - 10_001 }, THRESHOLDS, NOW_MS).keys()], ['stale_state'])
  t.same([...judgeState({ ...plan, dueMs: null }, THRESHOLDS, NOW_MS).keys()], [])
})

t.test('silence is a fault only where sound has been due for as long', async (t) => {
  t.same(causes({ silentMs: 60_000 }, { soundSinceMs: null }), [], 'hosts that say nothing')
  t.same(causes({ silentMs: 60_000 }, { soundSinceMs: NOW_MS - 2_000 }), [], 'just after them')
})

t.test('a mix at -30 dB is a fault, a quiet passage or a loud moment is none', async (t) => {
  t.same(causes({ minute: { highest: -44, median: -46 } }), ['loudness'])
  t.same(causes({ minute: { highest: -12, median: -12.9 } }), ['loudness'])
  t.same(causes({ minute: { highest: -17, median: -35 } }), [])
  t.same(causes({ minute: { highest: -8, median: -14 } }), [])
  t.same(causes({ minute: { highest: -44, median: -46 } }, { lufs: null }), [], 'nobody knows what is due')
  const fresh = { titleSinceMs: NOW_MS - 30_000 }
  t.same(causes({ minute: { highest: -44, median: -46 } }, fresh), [], 'the minute is that of another track')
})

t.test('titles may be late by seconds, cut, and without the characters that would end them', async (t) => {
  t.same(causes({ title: 'Hilda - Before' }, { titleSinceMs: NOW_MS - 5_000 }), [])
  t.same(causes({ title: "Rock n Roll; it's" }, { title: "Rock'n'Roll; it’s" }), [])
  t.same(causes({ title: null }), [])
})

t.test('an alarm begins once and ends when the fault has stayed away', async (t) => {
  const patience = { beginMs: 1_000, endMs: 5_000 }
  const seen = [true, true, true, false, true, false, false, false]
  const atMs = [0, 500, 1_000, 2_000, 6_900, 7_000, 11_000, 12_000]
  let fault = WELL
  const states = seen.map((isSeen, i) => {
    fault = persist(fault, isSeen, patience, atMs[i]!)
    return fault.state
  })
  t.same(states, ['well', 'well', 'faulty', 'faulty', 'faulty', 'faulty', 'faulty', 'well'])
})
