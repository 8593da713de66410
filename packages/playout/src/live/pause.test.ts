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

t.test('O1 a host pauses the queue, but not while a donated song is queued', async (t) => {
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
  const asked = after(state, order({ orderType: 'requested' }), NOON)
  t.equal(apply(asked, pause(), NOON).outcome.ok, true, 'other songs are no reason')

  const talking = after(state, pause(), NOON + SECOND)
  for (const when of ['now', 'afterTrack'] as const)
    t.same(after(talking, pause(when), NOON + 2 * SECOND), talking, 'twice is once')
  const waiting = after(state, pause('afterTrack'), NOON + SECOND)
  t.same(after(waiting, pause('afterTrack'), NOON + 2 * SECOND), waiting)
  const paid = after(waiting, order(), NOON + 2 * SECOND)
  t.match(chat(after(paid, pause(), NOON + 3 * SECOND)), { interrupted: { positionMs: 3 * SECOND } })
})

t.test('O2 hosts talk at once, or after the song', async (t) => {
  const state = talkStation()
  const { entry } = song(state)
  const cut = apply(state, pause(), NOON + 20 * SECOND)
  t.same(cut.effects, [])
  t.match(chat(cut.state), { sinceMs: NOON + 20 * SECOND, entry, interrupted: { positionMs: 20 * SECOND } })

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

t.test('O2 no jingle comes before a talk, and one that is heard is ended', async (t) => {
  const jingles = { usable: { day: [music('j')], night: [] }, required: 1, frequency: 1 }
  const state = learn(talkStation(), { type: 'clips', clips: { ...noClips, jingles } }, NOON).state
  const waiting = after(state, pause('afterTrack'), NOON)
  const talking = ended(waiting, NOON + MINUTE).state
  t.equal(talking.onAir.phase, 'chat')
  const next = after(talking, goOn, NOON + 2 * MINUTE)
  t.equal(next.onAir.phase, 'track')
  t.equal(ended(next, NOON + 3 * MINUTE).state.onAir.phase, 'jingle')

  const jingle = ended(state, NOON + MINUTE).state
  t.equal(jingle.onAir.phase, 'jingle')
  const cut = after(jingle, pause(), NOON + MINUTE + 1)
  t.match(chat(cut), { entry: song(state).entry, interrupted: null })
  t.equal(song(after(cut, goOn, NOON + 2 * MINUTE)).entry.track.id, nextId(cut))
  const later = after(jingle, pause('afterTrack'), NOON + MINUTE + 1)
  t.equal(later.onAir.phase, 'jingle')
  t.match(chat(ended(later, NOON + 2 * MINUTE).state), { entry: song(state).entry })
})

t.test('O2 while preparing a talk begins where the first song would have started', async (t) => {
  const before = learn(
    withHost(initialState(7, 'sound', alwaysDay, NOON)),
    backgroundFact([music('a')]),
    NOON,
  ).state
  const waiting = after(before, pause(), NOON + SECOND)
  t.match(waiting, { isPaused: true, onAir: { phase: 'preparing' } })
  t.equal(projectAir(waiting, NOON + SECOND).next, null)
  const talking = learn(waiting, library(tracks(30)), NOON + MINUTE)
  t.same(talking.effects, [])
  t.match(chat(talking.state), { sinceMs: NOON + MINUTE, entry: null, interrupted: null })
  const made = withLists(talking.state, () => tracks(30), NOON + MINUTE)
  assertLegal(t, made, NOON + MINUTE)
  t.match(projectSync(made, NOON + MINUTE), {
    track: null,
    title: 'Just chatting',
    currentIndex: 0,
    totalTracks: 30,
    isPreparing: false,
    isPlaying: true,
  })
  t.equal(queuePage(made, 0, 100).total, 30)
  const first = nextId(made)
  const paid = after(made, order({ orderType: 'requested' }), NOON + MINUTE)
  t.equal(nextId(paid), track('ordered').id)
  t.equal(song(after(made, goOn, NOON + 2 * MINUTE)).entry.track.id, first)
  t.equal(song(after(paid, goOn, NOON + 2 * MINUTE)).entry.track.id, track('ordered').id)
})

t.test('O6 the song that was interrupted goes on where it stopped, and is not played again', async (t) => {
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
  const over = resumedAfter(durationMs - 10_000)
  t.match(over.effects, [{ type: 'played', startedAtMs: NOON + 10 * MINUTE }])
  t.equal(song(over.state).entry.track.id, nextId(state))

  // Ten seconds behind its last sound the file itself still has a minute.
  const silentEnd = { gainDb: null, startMs: 0, endMs: durationMs - MINUTE / 2 }
  const trimmed = learn(state, { type: 'cue-points', cuePoints: { [entry.track.id]: silentEnd } }, NOON).state
  const heardMs = song(trimmed).entry.track.cuePoints?.endMs ?? silentEnd.endMs
  const airing = {
    ...trimmed,
    onAir: { ...song(trimmed), entry: { ...entry, track: { ...entry.track, cuePoints: silentEnd } } },
  }
  const nearly = apply(after(airing, pause(), NOON + heardMs - 9 * SECOND), goOn, NOON + 10 * MINUTE)
  t.equal(song(nearly.state).entry.track.id, nextId(state), 'what is left counts to the last sound')

  const twice = after(goesOn.state, pause(), NOON + 10 * MINUTE + SECOND)
  t.match(chat(twice).interrupted, { positionMs: durationMs - 9_001 })
  const waiting = after(state, pause('afterTrack'), NOON + SECOND)
  t.same(after(waiting, goOn, NOON + 2 * SECOND), state, 'a pause that waits is cancelled')
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

t.test(
  'O7 the schedule changes the mode of a talk at its hour, and the interrupted song is forgotten',
  async (t) => {
    const hourMs = NOON + 10 * MINUTE
    const schedule: Schedule = {
      natural: 'day',
      changes: [
        { atMs: hourMs, mode: 'night' },
        { atMs: hourMs + HOUR, mode: 'day' },
      ],
    }
    const clips = backgroundFact([music('a')], 'random', [music('moon')])
    const talking = after(talkStation(schedule, clips), pause(), NOON + SECOND)
    const night = advance(talking, hourMs + SECOND).state
    t.match(night, { mode: 'night', isPaused: true })
    const { entry, sinceMs } = chat(talking)
    t.match(chat(night), { entry, sinceMs, interrupted: null })
    t.match(chat(night).background, { clip: { id: 'moon' } })
    t.equal(lockOf(night, entry!.track.id), 'current')
    const made = withLists(night, (mode) => tracks(20, 20, mode), hourMs + SECOND)
    assertLegal(t, made, hourMs + SECOND)
    t.match(song(after(made, goOn, hourMs + MINUTE)).entry.track.id, /^night/)
    t.equal(advance(made, hourMs + HOUR).state.mode, 'day')

    const paid = after(talking, order(), NOON + MINUTE)
    const waiting = advance(paid, hourMs + SECOND).state
    t.equal(waiting.mode, 'day', 'a donated song is queued')
    assertLegal(t, waiting, hourMs + SECOND)
    const resumed = after(waiting, goOn, hourMs + MINUTE)
    t.equal(song(resumed).entry.entryId, entry!.entryId)
    const donated = ended(resumed, hourMs + 2 * MINUTE).state
    t.equal(song(donated).entry.track.id, track('ordered').id)
    t.equal(ended(donated, hourMs + 3 * MINUTE).state.mode, 'night')

    const atBoundary = after(talking, goOn, NOON + MINUTE)
    const late = ended(after(atBoundary, pause('afterTrack'), hourMs + SECOND), hourMs + MINUTE).state
    t.match(late, { mode: 'night', onAir: { phase: 'chat', interrupted: null } })
  },
)

t.test(
  'O7 a switch by an admin keeps the pause: hosts talk where the first song would have started',
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

t.test('O8 the queue goes on with a song whose order says so, and when the last host leaves', async (t) => {
  const state = talkStation()
  const talking = after(state, pause(), NOON + SECOND)
  const waits = after(talking, order({ orderId: 'x' }), NOON + MINUTE)
  t.equal(chat(waits).sinceMs, NOON + SECOND)
  t.equal(waits.isPaused, true)
  const known = apply(waits, order({ orderId: 'x', resumesQueue: true }), NOON + 2 * MINUTE)
  t.equal(known.state, waits, 'one that is queued already changes nothing')
  const refused = apply(talking, order({ mode: 'night', resumesQueue: true }), NOON + MINUTE)
  t.equal(refused.state, talking)
  const resumed = after(talking, order({ resumesQueue: true }), NOON + MINUTE)
  t.equal(song(resumed).entry.entryId, song(state).entry.entryId)
  t.equal(nextId(resumed), track('ordered').id)
  const waiting = after(state, pause('afterTrack'), NOON + SECOND)
  t.equal(after(waiting, order({ resumesQueue: true }), NOON + MINUTE).isPaused, false)

  t.equal(resumeQueue(talking, NOON + MINUTE).state.onAir.phase, 'track')
  const left = apply(talking, { type: 'leave-live', socketId: 'h' }, NOON + MINUTE).state
  t.match(left, { isPaused: false, onAir: { phase: 'track' } })
})

t.test('O9 where the clock is the pace there is no pause', async (t) => {
  const talking = after(talkStation(alwaysDay, backgroundFact([music('a')])), pause(), NOON + SECOND)
  const inSync = learn(talking, stationFact(alwaysDay, {}, 'clock'), NOON + MINUTE).state
  t.match(inSync, { isPaused: false, clips: noClips })
  t.equal(song(inSync).startedAtMs, NOON + MINUTE - SECOND)
  const waiting = after(talkStation(), pause('afterTrack'), NOON)
  t.equal(learn(waiting, stationFact(alwaysDay, {}, 'clock'), NOON + SECOND).state.isPaused, false)
  const jingles = { usable: { day: [music('j')], night: [] }, required: 1, frequency: 1 }
  const told = learn(talkStation(), { type: 'clips', clips: { ...noClips, jingles } }, NOON).state
  const inJingle = after(ended(told, NOON + MINUTE).state, pause('afterTrack'), NOON + MINUTE)
  const lost = learn(inJingle, stationFact(alwaysDay, {}, 'clock'), NOON + MINUTE + SECOND).state
  t.match(lost, { isPaused: false, onAir: { phase: 'track' } })
})
