import t from 'tap'
import {
  type Heard,
  judgeBroadcast,
  judgePlaylist,
  judgeSound,
  judgeSync,
  judgeTold,
  type Sent,
  type Synced,
  THRESHOLDS,
  type Told,
} from './judge.ts'
import { persist, WELL } from './persistence.ts'
import type { Plan } from './plan.ts'
import { endOf } from './told/poll.ts'

const NOW_MS = 1_000_000
const TITLE = 'Hilda - Morning Tide'
const well: Heard = {
  playedOutMs: NOW_MS + 4_000,
  connection: 'connected',
  isFed: true,
  strayAtMs: null,
  leftOut: null,
  silentMs: 0,
  clippedShare: 0,
  loudness: -16,
  minute: { highest: -14, median: -16 },
  repetition: null,
  differingMs: 0,
  behindMs: 500,
  frame: 40_000,
  title: TITLE,
}
const plan: Plan = {
  soundSinceMs: NOW_MS - 100_000,
  title: TITLE,
  titleSinceMs: NOW_MS - 100_000,
  trackId: 'day/Morning Tide.mp3',
  entryId: 'a',
  startedAtMs: NOW_MS - 100_000,
  lufs: -16,
  gainDb: 0,
  hasVoices: false,
  dueMs: NOW_MS + 60_000,
}
const causes = (heard: Partial<Heard>, planned: Partial<Plan> = {}, titles: string[] | null = null) => [
  ...judgeSound({ ...well, ...heard }, { ...plan, ...planned }, titles, THRESHOLDS, NOW_MS).keys(),
]

t.test('each fault is found by its own cause, and a programme without one by none', async (t) => {
  t.same(causes({}), [])
  t.same(causes({ playedOutMs: NOW_MS - 1, silentMs: 60_000 }), ['no_bytes'], 'no bytes is not silence')
  t.same(causes({ strayAtMs: NOW_MS - 1_000 }), ['broken_frames'])
  t.same(causes({ strayAtMs: NOW_MS - 6_000 }), [])
  const leftOut = { after: 40_000, frames: 1, atMs: NOW_MS - 1_000 }
  t.same(causes({ leftOut }), ['missing_frames'])
  t.same(causes({ leftOut: { ...leftOut, atMs: NOW_MS - 5_000 } }), [])
  t.same(causes({ leftOut, strayAtMs: NOW_MS - 1_000 }), ['broken_frames'], 'whose frames are missing')
  t.same(causes({ silentMs: 8_100 }), ['silence'])
  t.same(causes({ clippedShare: 0.02 }), ['clipping'])
  t.same(causes({ title: 'Hilda - The Song Before' }), ['title'])
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

t.test('frames of other bytes and old ones have causes of their own', async (t) => {
  t.same(causes({ differingMs: 520 }), ['other_bytes'])
  t.same(causes({ behindMs: 8_000, differingMs: 520 }), ['old_sound'], 'a replica that serves an old ring')
  const again = (lengthMs: number) => ({ repetition: { lengthMs, lagMs: 1_000 } })
  t.same(causes({ differingMs: 520, behindMs: 8_000, ...again(2_100) }), ['repeating'])
  t.same(causes({ differingMs: 520, ...again(900) }), [], 'which of both is not known yet')
  t.same(causes({ frame: null, ...again(2_100) }), ['repeating'], 'without frame numbers')
  t.same(causes({ frame: null, ...again(2_100) }, { soundSinceMs: null }), [], 'music under a chat')
  t.same(causes(again(60_000)), [], 'frames that were broadcast again: the file is asked')
  t.same(causes({ behindMs: 8_000, isFed: false }), [], 'which gets none at all: its sound runs out first')
})

t.test('a title is that of the frame with which it comes, or of the seconds before', async (t) => {
  const late = ['Hilda - Before', TITLE]
  t.same(causes({ title: 'Hilda - Before' }, {}, late), [])
  t.same(causes({ title: 'Hilda - Before' }, {}, [TITLE]), ['title'], 'one song late')
  t.same(causes({ title: '' }, {}, ['']), [], 'silence has none')
  t.same(causes({ title: 'Hilda - Before' }, { titleSinceMs: NOW_MS - 5_000 }), [], 'without frame numbers')
  t.same(causes({ title: "Rock n Roll; it's" }, { title: "Rock'n'Roll; it’s" }), [])
  t.same(causes({ title: null }), [])
})

const sent: Sent = { title: TITLE, entryId: 'a', positionMs: 99_900, atMs: NOW_MS - 100, ageMs: 300 }
const broadcast = (one: Partial<Sent>, planned: Partial<Plan> = {}) => [
  ...judgeBroadcast({ ...sent, ...one }, { ...plan, ...planned }, THRESHOLDS, NOW_MS).keys(),
]

t.test('the broadcast is held against the state: title, position and its own time', async (t) => {
  t.same(broadcast({}), [])
  t.same(broadcast({ title: 'Hilda - Before' }), ['title'])
  t.same(broadcast({ title: 'Hilda - Before' }, { titleSinceMs: NOW_MS - 2_000 }), [], 'just changed')
  t.same(broadcast({ positionMs: 97_000 }), ['drift'])
  t.same(broadcast({ positionMs: 97_000, entryId: 'b' }), [], 'of another entry')
  t.same(broadcast({ positionMs: 97_000 }, { entryId: null, startedAtMs: null }), [], 'a jingle')
  t.same(broadcast({ atMs: NOW_MS - 7_000, positionMs: 93_000 }), ['drift'], 'too slow a broadcast')
  t.same(
    broadcast({ atMs: NOW_MS - 7_000, positionMs: 93_000, ageMs: 4_000 }),
    [],
    'one that waits for a worker',
  )
  t.same(broadcast({}, { dueMs: NOW_MS - 10_001 }), ['stale_state'])
  t.same(broadcast({}, { dueMs: null }), [])
})

const told: Told = {
  trackId: plan.trackId,
  startedAtMs: NOW_MS - 100_000,
  atMs: NOW_MS - 900,
  ageMs: 500,
  tookMs: 20,
}
const good = { failingMs: 0, failure: '' }
const telling = (one: Partial<Told>, rest = good, planned: Partial<Plan> = {}) => [
  ...judgeTold({ last: { ...told, ...one }, ...rest }, { ...plan, ...planned }, THRESHOLDS, {
    today: NOW_MS,
    aheadMs: 0,
  }).keys(),
]

t.test('what an address tells of the air is of now', async (t) => {
  t.same(telling({}), [])
  t.same(telling({ atMs: NOW_MS - 4_000 }), ['stale_sync'])
  t.same(telling({ atMs: NOW_MS - 4_000, tookMs: 2_000 }), [], 'a slow answer is not an old one')
  t.same(telling({ atMs: NOW_MS + 4_000 }), ['stale_sync'])
  t.same(telling({ trackId: 'day/Before.mp3' }), ['stale_sync'])
  t.same(telling({ trackId: 'day/Before.mp3' }, good, { titleSinceMs: NOW_MS - 2_000 }), [], 'just changed')
  t.same(telling({}, { failingMs: 9_000, failure: 'status 503' }), ['stale_sync'])
  t.same(telling({ startedAtMs: NOW_MS - 103_000 }), ['drift'], 'a position that is off')
})

t.test('what a socket receives comes every 2 s, and is what is heard', async (t) => {
  const good: Synced = { sinceMs: 1_900, delayMs: 40, trackId: 'a', heardId: null, driftMs: 80 }
  const judged = (one: Partial<Synced>, failingMs = 0) => [
    ...judgeSync({ last: { ...good, ...one }, failingMs, failure: 'transport close' }, THRESHOLDS).keys(),
  ]
  t.same(judged({}), [])
  t.same(judged({ sinceMs: 4_100 }), ['stale_sync'], 'none comes')
  t.same(judged({ delayMs: 3_100 }), ['stale_sync'], 'an old one comes')
  t.same(judged({ heardId: 'b' }), ['stale_sync'], 'of another track')
  t.same(judged({ driftMs: -1_600 }), ['drift'])
  t.same(judged({ sinceMs: 6_000 }, 5_000), [], 'a replica that is being replaced')
  t.same(judged({}, 8_100), ['stale_sync'])
})

t.test('a playlist ends about where the sound does', async (t) => {
  const judged = (last: number | null, rest = good) => [
    ...judgePlaylist({ last, ...rest }, THRESHOLDS).keys(),
  ]
  t.same(judged(8_500), [], 'a segment, and what a cache keeps')
  t.same(judged(9_001), ['old_playlist'])
  t.same(judged(0, { failingMs: 9_000, failure: 'status 404' }), ['old_playlist'])
  t.same(judged(null, { failingMs: 9_000, failure: 'status 503' }), [], 'there has been none yet')
  const text =
    '#EXTM3U\n#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:01:00.000Z\n#EXTINF:6.06,\n1.mp3\n#EXTINF:6.06,\n2.mp3\n'
  t.equal(endOf(text), 72_120)
  t.throws(() => endOf('<html>'))
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
