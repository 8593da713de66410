import type { Mode } from '@solstice/contracts'
import t from 'tap'
import {
  alwaysDay,
  assertLegal,
  host,
  library,
  NOON,
  playing,
  stationFact,
  track,
  tracks,
  withLists,
} from '../../../../tests/harness/air/programme.ts'
import {
  after,
  backgroundFact,
  chat,
  ended,
  goOn,
  HOUR,
  MINUTE,
  music,
  nextId,
  order,
  pause,
  SECOND,
  song,
  talkStation,
  withHost,
} from '../../../../tests/harness/air/talk-station.ts'
import {
  advance,
  apply,
  type Command,
  initialState,
  learn,
  lockOf,
  nobodyLive,
  type PlayoutState,
  projectAir,
  projectSync,
  queuePage,
  type Schedule,
} from '../index.ts'
import { noClips } from '../model/initial-state.ts'
import { resumeQueue } from './pause.ts'

t.test('O1 a pause is refused for its reason, and changes nothing then', async (t) => {
  const state = talkStation()
  const refused: [PlayoutState, Command, string][] = [
    [state, pause('now', 'somebody else'), 'NOT_LIVE'],
    [
      { ...state, live: { ...nobodyLive, participants: [{ ...host('h'), role: 'guest' }] } },
      pause(),
      'NOT_LIVE',
    ],
    [after(state, order(), NOON), pause(), 'DONATED_QUEUED'],
    [after(state, order(), NOON), pause('afterTrack'), 'DONATED_QUEUED'],
    [withHost(playing(tracks(30))), pause(), 'STREAM_OFF'],
  ]
  for (const [before, command, code] of refused) {
    const step = apply(before, command, NOON)
    t.match(step.outcome, { ok: false, code })
    t.equal(step.state, before)
  }
})

t.test('O1b of the songs that are queued only donated ones keep hosts from pausing', async (t) => {
  const asked = after(talkStation(), order({ orderType: 'requested' }), NOON)
  t.equal(apply(asked, pause(), NOON).outcome.ok, true)
})

t.test('O1c a repeated pause changes nothing, but "now" ends the song it waits for', async (t) => {
  const state = talkStation()
  const talking = after(state, pause(), NOON + SECOND)
  for (const when of ['now', 'afterTrack'] as const)
    t.same(after(talking, pause(when), NOON + 2 * SECOND), talking)
  const waiting = after(state, pause('afterTrack'), NOON + SECOND)
  t.same(after(waiting, pause('afterTrack'), NOON + 2 * SECOND), waiting)
  const paid = after(waiting, order(), NOON + 2 * SECOND)
  t.match(chat(after(paid, pause(), NOON + 3 * SECOND)), { interrupted: { positionMs: 3 * SECOND } })
})

t.test('O2a with "now" hosts talk at once, and the song keeps its position', async (t) => {
  const state = talkStation()
  const { entry } = song(state)
  const cut = apply(state, pause(), NOON + 20 * SECOND)
  t.same(cut.effects, [])
  t.match(chat(cut.state), { sinceMs: NOON + 20 * SECOND, entry, interrupted: { positionMs: 20 * SECOND } })
})

t.test('O2b with "afterTrack" hosts talk after the song, also after a skip', async (t) => {
  const state = talkStation()
  const { entry } = song(state)
  const waiting = after(state, pause('afterTrack'), NOON + 20 * SECOND)
  t.same(waiting.onAir, state.onAir)
  const inTime = ended(waiting, NOON + 60 * SECOND)
  t.match(chat(inTime.state), { sinceMs: NOON + 60 * SECOND, entry, interrupted: null })
  t.same(inTime.effects, [])
  t.match(chat(after(waiting, { type: 'skip' }, NOON + 30 * SECOND)), { entry, interrupted: null })
  t.equal(projectAir(waiting, NOON + 50 * SECOND).next?.entryId, chat(inTime.state).background.entryId)
  const atEnd = {
    ...waiting,
    playlist: { ...waiting.playlist, entries: waiting.playlist.entries.slice(0, 1) },
  }
  t.equal(ended(atEnd, NOON + MINUTE).state.onAir.phase, 'chat', 'also at the end of a list')
})

const withJingles = () => {
  const jingles = { usable: { day: [music('j')], night: [] }, required: 1, frequency: 1 as const }
  return learn(talkStation(), { type: 'clips', clips: { ...noClips, jingles } }, NOON).state
}

t.test('O2b no jingle comes before a talk', async (t) => {
  const waiting = after(withJingles(), pause('afterTrack'), NOON)
  const talking = ended(waiting, NOON + MINUTE).state
  t.equal(talking.onAir.phase, 'chat')
  const next = after(talking, goOn, NOON + 2 * MINUTE)
  t.equal(next.onAir.phase, 'track')
  t.equal(ended(next, NOON + 3 * MINUTE).state.onAir.phase, 'jingle')
})

t.test('O2a a jingle that is heard is ended by "now", and not kept', async (t) => {
  const state = withJingles()
  const jingle = ended(state, NOON + MINUTE).state
  t.equal(jingle.onAir.phase, 'jingle')
  const cut = after(jingle, pause(), NOON + MINUTE + 1)
  t.match(chat(cut), { entry: song(state).entry, interrupted: null })
  t.equal(song(after(cut, goOn, NOON + 2 * MINUTE)).entry.track.id, nextId(cut))
  const later = after(jingle, pause('afterTrack'), NOON + MINUTE + 1)
  t.equal(later.onAir.phase, 'jingle', '"afterTrack" lets it end')
  t.match(chat(ended(later, NOON + 2 * MINUTE).state), { entry: song(state).entry })
})

/** Hosts talk where the first song would have started. */
function talkInsteadOfFirst() {
  const before = learn(
    withHost(initialState(7, 'sound', alwaysDay, NOON)),
    backgroundFact([music('a')]),
    NOON,
  ).state
  const waiting = after(before, pause(), NOON + SECOND)
  const talking = learn(waiting, library(tracks(30)), NOON + MINUTE)
  return { waiting, talking, made: withLists(talking.state, () => tracks(30), NOON + MINUTE) }
}

t.test('O2c while preparing a talk begins where the first song would have started', async (t) => {
  const { waiting, talking, made } = talkInsteadOfFirst()
  t.match(waiting, { isPaused: true, onAir: { phase: 'preparing' } })
  t.equal(projectAir(waiting, NOON + SECOND).next, null)
  t.same(talking.effects, [])
  t.match(chat(talking.state), { sinceMs: NOON + MINUTE, entry: null, interrupted: null })
  assertLegal(t, made, NOON + MINUTE)
  t.match(projectSync(made, NOON + MINUTE), {
    track: null,
    title: 'Just chatting',
    currentIndex: 0,
    totalTracks: 30,
    isPreparing: false,
    isPlaying: true,
  })
})

t.test('O2c, O3c behind such a talk the queue begins with its first song', async (t) => {
  const { made } = talkInsteadOfFirst()
  t.equal(queuePage(made, 0, 100).total, 30)
  const first = nextId(made)
  const paid = after(made, order({ orderType: 'requested' }), NOON + MINUTE)
  t.equal(nextId(paid), track('ordered').id)
  t.equal(song(after(made, goOn, NOON + 2 * MINUTE)).entry.track.id, first)
  t.equal(song(after(paid, goOn, NOON + 2 * MINUTE)).entry.track.id, track('ordered').id)
})

t.test('O6a the song that was interrupted goes on where it stopped, and is not played again', async (t) => {
  const state = talkStation()
  const { entry } = song(state)
  const durationMs = entry.track.durationMs!
  const resumedAfter = (positionMs: number) =>
    apply(after(state, pause(), NOON + positionMs), goOn, NOON + 10 * MINUTE)
  const goesOn = resumedAfter(durationMs - 10_001)
  t.same(goesOn.effects, [])
  t.equal(goesOn.state.isPaused, false)
  t.same(song(goesOn.state), {
    phase: 'track',
    entry,
    startedAtMs: NOON + 10 * MINUTE - durationMs + 10_001,
    resumedAtMs: NOON + 10 * MINUTE,
  })
  const twice = after(goesOn.state, pause(), NOON + 10 * MINUTE + SECOND)
  t.match(chat(twice).interrupted, { positionMs: durationMs - 9_001 })
  const over = resumedAfter(durationMs - 10_000)
  t.match(over.effects, [{ type: 'played', startedAtMs: NOON + 10 * MINUTE }], 'with 10 s left it is over')
  t.equal(song(over.state).entry.track.id, nextId(state))
})

t.test('O6a what is left of a song counts to its last sound', async (t) => {
  const state = talkStation()
  const { entry } = song(state)
  // Ten seconds behind its last sound the file itself still has a minute.
  const silentEnd = { gainDb: null, startMs: 0, endMs: entry.track.durationMs! - MINUTE / 2 }
  const trimmed = learn(state, { type: 'cue-points', cuePoints: { [entry.track.id]: silentEnd } }, NOON).state
  const heardMs = song(trimmed).entry.track.cuePoints?.endMs ?? silentEnd.endMs
  const airing = {
    ...trimmed,
    onAir: { ...song(trimmed), entry: { ...entry, track: { ...entry.track, cuePoints: silentEnd } } },
  }
  const nearly = apply(after(airing, pause(), NOON + heardMs - 9 * SECOND), goOn, NOON + 10 * MINUTE)
  t.equal(song(nearly.state).entry.track.id, nextId(state))
})

t.test('O6b a pause that only waits is cancelled', async (t) => {
  const state = talkStation()
  const waiting = after(state, pause('afterTrack'), NOON + SECOND)
  t.same(after(waiting, goOn, NOON + 2 * SECOND), state)
  t.same(after(state, goOn, NOON), state)
})

t.test('O6, P4 its phrase is still heard, unless it may not be any more', async (t) => {
  const phrases = { usable: { day: [music('p')], night: [] }, offsetMs: 15_000 }
  const told = learn(talkStation(), { type: 'clips', clips: { ...noClips, phrases } }, NOON).state
  const state = ended(told, NOON + MINUTE).state
  const startMs = NOON + MINUTE
  const { phrase, entry } = song(state)
  const talking = after(state, pause(), startMs + 5 * SECOND)
  t.same(song(after(talking, goOn, NOON + HOUR)).phrase, phrase)
  const without = learn(talking, { type: 'clips', clips: noClips }, NOON + 2 * MINUTE).state
  t.notOk(song(after(without, goOn, NOON + HOUR)).phrase)
  const begun = after(state, pause(), startMs + entry.track.durationMs! - 12_000)
  const begunWithout = learn(begun, { type: 'clips', clips: noClips }, NOON + 10 * MINUTE).state
  t.same(song(after(begunWithout, goOn, NOON + HOUR)).phrase, phrase)
})

/** The schedule's night begins here, for an hour. */
const HOUR_MS = NOON + 10 * MINUTE

/** Hosts talk by day, ten minutes before the night. */
function talkBeforeNight() {
  const schedule: Schedule = {
    natural: 'day',
    changes: [
      { atMs: HOUR_MS, mode: 'night' },
      { atMs: HOUR_MS + HOUR, mode: 'day' },
    ],
  }
  const clips = backgroundFact([music('a')], 'random', [music('moon')])
  return after(talkStation(schedule, clips), pause(), NOON + SECOND)
}

t.test('O7a, O7b the schedule changes the mode of a talk, and drops the interrupted song', async (t) => {
  const talking = talkBeforeNight()
  const night = advance(talking, HOUR_MS + SECOND).state
  t.match(night, { mode: 'night', isPaused: true })
  const { entry, sinceMs } = chat(talking)
  t.match(chat(night), { entry, sinceMs, interrupted: null })
  t.match(chat(night).background, { clip: { id: 'moon' } })
  t.equal(lockOf(night, entry!.track.id), 'current')
  const made = withLists(night, (mode) => tracks(20, 20, mode), HOUR_MS + SECOND)
  assertLegal(t, made, HOUR_MS + SECOND)
  t.match(song(after(made, goOn, HOUR_MS + MINUTE)).entry.track.id, /^night/)
  t.equal(advance(made, HOUR_MS + HOUR).state.mode, 'day')
})

t.test('O7b a talk that begins behind the hour is in the new mode', async (t) => {
  const airing = after(talkBeforeNight(), goOn, NOON + MINUTE)
  const late = ended(after(airing, pause('afterTrack'), HOUR_MS + SECOND), HOUR_MS + MINUTE).state
  t.match(late, { mode: 'night', onAir: { phase: 'chat', interrupted: null } })
})

t.test('O7c the change waits while a donated song is queued', async (t) => {
  const talking = talkBeforeNight()
  const waiting = advance(after(talking, order(), NOON + MINUTE), HOUR_MS + SECOND).state
  t.equal(waiting.mode, 'day')
  assertLegal(t, waiting, HOUR_MS + SECOND)
  const resumed = after(waiting, goOn, HOUR_MS + MINUTE)
  t.equal(song(resumed).entry.entryId, chat(talking).entry!.entryId)
  const donated = ended(resumed, HOUR_MS + 2 * MINUTE).state
  t.equal(song(donated).entry.track.id, track('ordered').id)
  t.equal(ended(donated, HOUR_MS + 3 * MINUTE).state.mode, 'night')
})

t.test(
  'O7a a switch by an admin keeps the pause: hosts talk where the first song would have started',
  async (t) => {
    const state = learn(talkStation(), stationFact(alwaysDay, { preparingMinMs: 3_000 }, 'sound'), NOON).state
    const talking = after(state, pause(), NOON + SECOND)
    const switched = apply(talking, { type: 'switch-mode', target: 'night', atMs: null }, NOON + 2 * SECOND)
    t.equal(switched.outcome.ok, true)
    t.match(switched.state, { isPaused: true, mode: 'night', onAir: { phase: 'preparing' } })
    const night = (mode: Mode) => tracks(20, 20, mode)
    const made = withLists(switched.state, night, NOON + 3 * SECOND)
    const later = advance(made, NOON + 5 * SECOND).state
    t.match(chat(later), { sinceMs: NOON + 5 * SECOND, entry: null, interrupted: null })
    const pending = after(
      talking,
      { type: 'switch-mode', target: 'night', atMs: NOON + MINUTE },
      NOON + SECOND,
    )
    const due = advance(withLists(pending, night, NOON), NOON + MINUTE).state
    t.match(due, { isPaused: true, mode: 'night', onAir: { phase: 'preparing' } })
  },
)

t.test('O8 the queue resumes with an order that says so', async (t) => {
  const state = talkStation()
  const talking = after(state, pause(), NOON + SECOND)
  const resumed = after(talking, order({ resumesQueue: true }), NOON + MINUTE)
  t.equal(song(resumed).entry.entryId, song(state).entry.entryId)
  t.equal(nextId(resumed), track('ordered').id)
  const waiting = after(state, pause('afterTrack'), NOON + SECOND)
  t.equal(after(waiting, order({ resumesQueue: true }), NOON + MINUTE).isPaused, false)
})

t.test('O8 other orders wait, and so do refused ones', async (t) => {
  const talking = after(talkStation(), pause(), NOON + SECOND)
  const waits = after(talking, order({ orderId: 'x' }), NOON + MINUTE)
  t.equal(chat(waits).sinceMs, NOON + SECOND)
  t.equal(waits.isPaused, true)
  const known = apply(waits, order({ orderId: 'x', resumesQueue: true }), NOON + 2 * MINUTE)
  t.equal(known.state, waits, 'one that is queued already changes nothing')
  const refused = apply(talking, order({ mode: 'night', resumesQueue: true }), NOON + MINUTE)
  t.equal(refused.state, talking)
})

t.test('O8 the queue resumes when the last host leaves', async (t) => {
  const talking = after(talkStation(), pause(), NOON + SECOND)
  t.equal(resumeQueue(talking, NOON + MINUTE).state.onAir.phase, 'track')
  const left = apply(talking, { type: 'leave-live', socketId: 'h' }, NOON + MINUTE).state
  t.match(left, { isPaused: false, onAir: { phase: 'track' } })
})

t.test('O9 a station that loses its stream ends the talk', async (t) => {
  const talking = after(talkStation(alwaysDay, backgroundFact([music('a')])), pause(), NOON + SECOND)
  const inSync = learn(talking, stationFact(alwaysDay, {}, 'clock'), NOON + MINUTE).state
  t.match(inSync, { isPaused: false, clips: noClips })
  t.equal(song(inSync).startedAtMs, NOON + MINUTE - SECOND)
})

t.test('O9 it forgets a pause that only waits', async (t) => {
  const waiting = after(talkStation(), pause('afterTrack'), NOON)
  t.equal(learn(waiting, stationFact(alwaysDay, {}, 'clock'), NOON + SECOND).state.isPaused, false)
  const inJingle = after(ended(withJingles(), NOON + MINUTE).state, pause('afterTrack'), NOON + MINUTE)
  const lost = learn(inJingle, stationFact(alwaysDay, {}, 'clock'), NOON + MINUTE + SECOND).state
  t.match(lost, { isPaused: false, onAir: { phase: 'track' } })
})
