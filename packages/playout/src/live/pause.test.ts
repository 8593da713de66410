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
  advance,
  apply,
  backgroundInReserve,
  type Chat,
  type ClipRef,
  type Command,
  type Fact,
  initialState,
  learn,
  lockOf,
  nobodyLive,
  type PlayoutState,
  projectAir,
  projectSync,
  queuePage,
  readState,
  resume,
  type Schedule,
  type SongOrder,
  type Step,
  soundStartMs,
  type UsableClips,
} from '../index.ts'
import { noClips } from '../model/initial-state.ts'
import { resumeQueue } from './pause.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const pause = (when: 'now' | 'afterTrack' = 'now', socketId = 'h'): Command => ({
  type: 'pause-queue',
  socketId,
  when,
})
const goOn: Command = { type: 'resume-queue', socketId: 'h' }
const choose = (clipId: string | null): Command => ({ type: 'choose-background', socketId: 'h', clipId })
const order = (song: Partial<SongOrder> = {}): Command => ({
  type: 'add-song',
  track: track('ordered'),
  mode: 'day',
  orderType: 'donated',
  tier: null,
  ...song,
})

function music(id: string, durationMs: number | null = 20 * SECOND): ClipRef {
  return { id, media: `background/day/${id}.mp3`, durationMs }
}

function backgroundFact(
  day: ClipRef[],
  chosenBy: UsableClips['background']['chosenBy'] = 'random',
  night: ClipRef[] = [],
): Fact {
  return { type: 'clips', clips: { ...noClips, background: { usable: { day, night }, chosenBy } } }
}

const withHost = (state: PlayoutState): PlayoutState => ({
  ...state,
  live: { ...nobodyLive, participants: [host('h')] },
})

/** A station in stream mode with a host on the air. */
function station(schedule: Schedule = alwaysDay, clips = backgroundFact([])): PlayoutState {
  const state = withHost(initialState(7, 'sound', schedule, NOON))
  return withLists(learn(state, clips, NOON).state, (mode) => tracks(30, 30, mode), NOON)
}

function after(state: PlayoutState, command: Command, atMs: number): PlayoutState {
  return apply(state, command, atMs).state
}

function song({ onAir }: PlayoutState) {
  if (onAir.phase !== 'track') throw new Error(`no song is heard: ${onAir.phase}`)
  return onAir
}

function chat({ onAir }: PlayoutState): Chat {
  if (onAir.phase !== 'chat') throw new Error(`nobody talks: ${onAir.phase}`)
  return onAir
}

function ended(state: PlayoutState, atMs: number): Step {
  const { onAir } = state
  if (onAir.phase === 'preparing') throw new Error('nothing is heard')
  const { entryId } =
    onAir.phase === 'track' ? onAir.entry : onAir.phase === 'jingle' ? onAir.jingle : onAir.background
  return learn(state, { type: 'sound-ended', entryId }, atMs)
}

function nextId(state: PlayoutState): string | undefined {
  return queuePage(state, 0, 1).items[0]?.id
}

t.test('O1 a host pauses the queue, but not while a donated song is queued', async (t) => {
  const state = station()
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
  const state = station()
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
  const state = learn(station(), { type: 'clips', clips: { ...noClips, jingles } }, NOON).state
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

t.test('O3 a talk is shown without artist, the queue stays, and nothing is skipped', async (t) => {
  const state = station()
  const { entry } = song(state)
  const shown = projectSync(state, NOON + 20 * SECOND)
  const talking = after(state, pause(), NOON + 20 * SECOND)
  const { playlist, currentIndex, totalTracks, mode } = shown
  t.match(projectSync(talking, NOON + 40 * SECOND), {
    track: entry.track.id,
    title: 'Just chatting',
    artist: '',
    album: '',
    year: null,
    orderType: null,
    tier: null,
    duration: 0,
    seek: 0,
    isPlaying: true,
    isPreparing: false,
    playlist,
    currentIndex,
    totalTracks,
    mode,
  })
  t.match(apply(talking, { type: 'skip' }, NOON + MINUTE), { outcome: { ok: false, code: 'QUEUE_PAUSED' } })
  t.equal(lockOf(talking, entry.track.id), 'current')
  t.equal(lockOf(talking, nextId(state)!), 'next')
  const release: Command = { type: 'release-track', trackId: entry.track.id, purpose: 'remove' }
  t.match(apply(talking, release, NOON + MINUTE).outcome, { code: 'TRACK_LOCKED' })

  const asked = after(talking, order({ orderType: 'requested' }), NOON + MINUTE)
  t.equal(nextId(asked), track('ordered').id)
  const removed = after(talking, { type: 'remove-entry', position: 1 }, NOON + MINUTE)
  t.equal(nextId(removed), playlist[1]?.id)
  const renamed = { ...entry.track, title: 'renamed' }
  const settled = [{ trackId: renamed.id, track: renamed }]
  const changed = after(talking, { type: 'library-changed', settled }, NOON + MINUTE)
  t.equal(song(after(changed, goOn, NOON + MINUTE)).entry.track.title, 'renamed')
  assertLegal(t, changed, NOON + MINUTE)
})

t.test('O3 the sound is told what to play, what is shown, and what follows', async (t) => {
  const state = station(alwaysDay, backgroundFact([music('a'), music('b')]))
  const talking = after(state, pause(), NOON + 20 * SECOND)
  const { background, entry } = chat(talking)
  const plan = projectAir(talking, NOON + 25 * SECOND)
  t.match(plan.current, {
    positionMs: 5 * SECOND,
    entry: {
      entryId: background.entryId,
      background: background.clip!,
      shown: { id: entry?.track.id, title: 'Just chatting', artist: '' },
    },
  })
  const next = ended(talking, NOON + 40 * SECOND).state
  t.equal(plan.next?.entryId, chat(next).background.entryId)
  t.match(projectAir(talking, NOON + 19 * SECOND), { current: null, beginsAtMs: NOON + 20 * SECOND })

  const silent = after(station(), pause(), NOON)
  const inSilence = projectAir(silent, NOON + 10 * MINUTE)
  t.match(inSilence, { current: { positionMs: 10 * MINUTE, entry: { background: null } }, next: null })
  t.not(inSilence.current?.entry.entryId, chat(talking).background.entryId)
  const resumed = after(talking, goOn, NOON + MINUTE)
  t.equal(soundStartMs(resumed), NOON + MINUTE)
  t.match(projectAir(resumed, NOON + MINUTE + SECOND).current, { positionMs: 21 * SECOND, entry: entry! })
})

t.test('O4 under the talk random music is heard, not the same twice in a row', async (t) => {
  const before = station(alwaysDay, backgroundFact(['a', 'b', 'c'].map((id) => music(id))))
  let state = after(before, pause(), NOON)
  t.equal(backgroundInReserve(before), chat(state).background.clip, 'which one is known before')
  const heard = [chat(state).background]
  for (let i = 1; i < 40; i++) {
    state = ended(state, NOON + i * 20 * SECOND).state
    heard.push(chat(state).background)
  }
  t.equal(new Set(heard.map(({ clip }) => clip?.id)).size, 3)
  t.notOk(heard.some(({ clip }, i) => clip!.id === heard[i + 1]?.clip?.id))
  t.equal(new Set(heard.map(({ entryId }) => entryId)).size, 40)
  t.equal(chat(state).sinceMs, NOON, 'it is one talk')
  const { lastBackgroundId } = state
  const again = after(after(state, goOn, NOON + HOUR), pause(), NOON + HOUR + 1)
  t.not(chat(again).background.clip?.id, lastBackgroundId)

  const only = after(station(alwaysDay, backgroundFact([music('a')])), pause(), NOON)
  const twice = ended(only, NOON + 20 * SECOND).state
  t.match(chat(twice).background, { clip: { id: 'a' }, startedAtMs: NOON + 20 * SECOND })
  t.not(chat(twice).background.entryId, chat(only).background.entryId)
  t.match(chat(advance(only, NOON + 60 * SECOND).state).background, { startedAtMs: NOON + 50 * SECOND })
})

t.test('O4 where hosts choose, their choice is heard again and again, else nothing', async (t) => {
  const chosen = station(alwaysDay, backgroundFact([music('a'), music('b')], 'hosts'))
  const silent = after(chosen, pause(), NOON)
  t.equal(chat(silent).background.clip, null)
  t.match(apply(silent, { ...choose('a'), socketId: 'x' } as Command, NOON).outcome, { code: 'NOT_LIVE' })
  t.match(apply(silent, choose('nothing'), NOON).outcome, { code: 'NOT_FOUND' })

  const playing = after(silent, choose('a'), NOON + SECOND)
  t.match(chat(playing).background, { clip: { id: 'a' }, startedAtMs: NOON + SECOND })
  t.equal(after(playing, choose('a'), NOON + 2 * SECOND).onAir, playing.onAir, 'the same is no change')
  t.match(chat(ended(playing, NOON + MINUTE).state).background.clip, { id: 'a' })
  t.match(chat(after(playing, choose('b'), NOON + MINUTE)).background.clip, { id: 'b' })
  t.equal(chat(after(playing, choose(null), NOON + MINUTE)).background.clip, null)

  const before = after(after(chosen, choose('b'), NOON), pause('afterTrack'), NOON)
  t.match(chat(ended(before, NOON + MINUTE).state).background.clip, { id: 'b' }, 'it can be chosen before')
})

t.test('O4 what may be heard, and who chooses it, counts at once', async (t) => {
  const told = (state: PlayoutState, fact: Fact) => chat(learn(state, fact, NOON + MINUTE).state).background
  const random = after(station(alwaysDay, backgroundFact([music('a')])), pause(), NOON)
  const { background } = chat(random)
  t.equal(told(random, backgroundFact([music('a'), music('b')])), background, 'what still may sound goes on')
  t.match(told(random, backgroundFact([music('b')])), { clip: { id: 'b' }, startedAtMs: NOON + MINUTE })
  t.equal(told(random, backgroundFact([])).clip, null)
  t.equal(told(random, backgroundFact([music('a')], 'hosts')).clip, null, 'nobody has chosen anything')
  const chosen = after(random, choose('a'), NOON)
  t.equal(told(chosen, backgroundFact([music('a')], 'hosts')), background, 'it is what they want')
  const silent = learn(random, backgroundFact([]), NOON).state
  t.match(told(silent, backgroundFact([music('a')])).clip, { id: 'a' })
  const byHosts = learn(chosen, backgroundFact([music('a'), music('b')], 'hosts'), NOON).state
  t.match(told(byHosts, backgroundFact([music('a'), music('b')])).clip, { id: 'b' })

  const broken = learn(random, { type: 'clip-unplayable', clipId: 'a' }, NOON + SECOND).state
  t.equal(chat(broken).background.clip, null)
  t.match(apply(broken, choose('a'), NOON).outcome, { code: 'NOT_FOUND' })
  t.match(told(broken, backgroundFact([music('a')])).clip, { id: 'a' })
})

t.test('O4, R1, R2 a takeover goes on with the talk; after a long silence the queue goes on', async (t) => {
  const state = after(station(alwaysDay, backgroundFact([music('a'), music('b', null)])), pause(), NOON)
  const saved = readState(JSON.stringify(state))
  const soon = resume(saved, NOON + SECOND, NOON + 5 * SECOND).state
  t.same(soon, state)
  t.equal(projectAir(soon, NOON + 5 * SECOND).current?.positionMs, 5 * SECOND)
  const later = resume(saved, NOON + SECOND, NOON + 5 * MINUTE).state
  t.match(chat(later), { sinceMs: NOON, interrupted: { positionMs: 0 } })
  assertLegal(t, later, NOON + 5 * MINUTE)
  const waiting = after(station(), pause('afterTrack'), NOON)
  t.equal(
    chat(resume(waiting, NOON, NOON + 3 * MINUTE).state).sinceMs,
    NOON + song(waiting).entry.track.durationMs!,
  )

  const old = resume(saved, NOON, NOON + HOUR).state
  t.equal(old.isPaused, false)
  t.equal(withLists(old, () => tracks(30), NOON + HOUR).onAir.phase, 'track')
})

t.test('O5 the choice is forgotten when the mode changes', async (t) => {
  const schedule: Schedule = { natural: 'day', changes: [{ atMs: NOON + 10 * MINUTE, mode: 'night' }] }
  const both = [music('a')]
  const chosen = after(station(schedule, backgroundFact(both, 'hosts', both)), choose('a'), NOON)
  const talking = after(chosen, pause(), NOON)
  t.match(chat(talking).background.clip, { id: 'a' })
  const night = advance(talking, NOON + 10 * MINUTE).state
  t.match(night, {
    mode: 'night',
    backgroundChoice: null,
    onAir: { phase: 'chat', background: { clip: null } },
  })
})

t.test('O6 the song that was interrupted goes on where it stopped, and is not played again', async (t) => {
  const state = station()
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
  const told = learn(station(), { type: 'clips', clips: { ...noClips, phrases } }, NOON).state
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
    const talking = after(station(schedule, clips), pause(), NOON + SECOND)
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
    const state = learn(station(), stationFact(alwaysDay, { preparingMinMs: 3_000 }, 'sound'), NOON).state
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
  const state = station()
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
  const talking = after(station(alwaysDay, backgroundFact([music('a')])), pause(), NOON + SECOND)
  const inSync = learn(talking, stationFact(alwaysDay, {}, 'clock'), NOON + MINUTE).state
  t.match(inSync, { isPaused: false, clips: noClips })
  t.equal(song(inSync).startedAtMs, NOON + MINUTE - SECOND)
  const waiting = after(station(), pause('afterTrack'), NOON)
  t.equal(learn(waiting, stationFact(alwaysDay, {}, 'clock'), NOON + SECOND).state.isPaused, false)
  const jingles = { usable: { day: [music('j')], night: [] }, required: 1, frequency: 1 }
  const told = learn(station(), { type: 'clips', clips: { ...noClips, jingles } }, NOON).state
  const inJingle = after(ended(told, NOON + MINUTE).state, pause('afterTrack'), NOON + MINUTE)
  const lost = learn(inJingle, stationFact(alwaysDay, {}, 'clock'), NOON + MINUTE + SECOND).state
  t.match(lost, { isPaused: false, onAir: { phase: 'track' } })
})
