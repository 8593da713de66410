import type { Mode } from '@solstice/contracts'
import t from 'tap'
import {
  alwaysDay,
  assertLegal,
  HOUR,
  host,
  NOON,
  playing,
  randomFrom,
  stationFact,
  track,
  tracks,
  withLists,
} from '../../../../tests/harness/air/programme.ts'
import {
  advance,
  apply,
  type ClipRef,
  learn,
  type PlayoutState,
  projectAir,
  projectSync,
  queuePage,
  readState,
  resume,
  type Schedule,
  type UsableClips,
} from '../index.ts'
import { noClips } from '../model/initial-state.ts'

const changesAt = (atMs: number): Schedule => ({ natural: 'day', changes: [{ atMs, mode: 'night' }] })

function clip(id: string, mode: Mode = 'day', durationMs: number | null = 5_000): ClipRef {
  return { id, media: `jingles/${mode}/${id}.mp3`, durationMs }
}

function some(count: number, mode: Mode = 'day'): ClipRef[] {
  return Array.from({ length: count }, (_, i) => clip(`${mode}-${i}`, mode))
}

function clips({
  jingles = {},
  phrases = {},
}: {
  jingles?: Partial<UsableClips['jingles']>
  phrases?: Partial<UsableClips['phrases']>
}): UsableClips {
  return {
    ...noClips,
    jingles: { usable: { day: some(4), night: some(4, 'night') }, required: 3, frequency: 2, ...jingles },
    phrases: { ...noClips.phrases, ...phrases },
  }
}

const withPhrases = (usable: ClipRef[], offsetMs = 15_000): UsableClips => ({
  ...noClips,
  phrases: { usable: { day: usable, night: [] }, offsetMs },
})

/** A station in stream mode that has learned its clips. */
function station(told: UsableClips, songs = tracks(30), schedule = alwaysDay, atMs = NOON): PlayoutState {
  return learn(playing(songs, 'sound', schedule, atMs), { type: 'clips', clips: told }, atMs).state
}

/** Ends the entry on air by its sound, at the end of its duration; another playlist of the same tracks is ready. */
function endOfSound(state: PlayoutState): { state: PlayoutState; atMs: number } {
  const { onAir } = state
  if (onAir.phase !== 'track' && onAir.phase !== 'jingle') throw new Error('neither song nor jingle is heard')
  const isJingle = onAir.phase === 'jingle'
  const { entryId } = isJingle ? onAir.jingle : onAir.entry
  const atMs = onAir.startedAtMs + ((isJingle ? onAir.jingle.clip : onAir.entry.track).durationMs ?? 60_000)
  const songs = new Map(state.playlist.entries.map(({ track }) => [track.id, track]))
  const ended = learn(state, { type: 'sound-ended', entryId }, atMs).state
  return { state: withLists(ended, () => [...songs.values()], atMs), atMs }
}

/** The sequence heard: 's' for a track, the id of a jingle. */
function heard(state: PlayoutState, count: number): { programme: string[]; state: PlayoutState } {
  const programme: string[] = []
  for (let i = 0; i < count; i++) {
    programme.push(state.onAir.phase === 'jingle' ? state.onAir.jingle.clip.id : 's')
    state = endOfSound(state).state
  }
  return { programme, state }
}

/** How many songs lie between two jingles. */
function distances(programme: string[]): number[] {
  return programme
    .map((id) => (id === 's' ? 's' : 'J'))
    .join('')
    .split('J')
    .slice(0, -1)
    .map((songs) => songs.length)
}

/** Songs until the next thing is a jingle. */
function toJingle(state: PlayoutState): { state: PlayoutState; atMs: number; before: PlayoutState } {
  for (let i = 0; i < 20; i++) {
    const ended = endOfSound(state)
    if (ended.state.onAir.phase === 'jingle') return { ...ended, before: state }
    state = ended.state
  }
  throw new Error('no jingle came')
}

t.test('J1 jingles are heard in stream mode only, and where the mode has enough of them', async (t) => {
  const everySong = { frequency: 1 }
  t.ok(heard(station(clips({ jingles: everySong })), 9).programme.some((id) => id !== 's'))
  const two = { ...everySong, usable: { day: some(2), night: some(4, 'night') } }
  t.same(new Set(heard(station(clips({ jingles: two })), 9).programme), new Set(['s']))
  const inSync = learn(
    playing(tracks(9)),
    { type: 'clips', clips: clips({ jingles: everySong }) },
    NOON,
  ).state
  t.same(inSync.clips, noClips)
  const { state, atMs } = toJingle(station(clips({ jingles: everySong })))
  const without = learn(state, stationFact(alwaysDay, {}, 'clock'), atMs + 1000).state
  t.equal(without.onAir.phase, 'track', 'a station that has lost its stream goes on at once')
  t.same(without.clips, noClips)
})

t.test('J2 a jingle comes after as many songs as the settings say, skipped ones included', async (t) => {
  for (const frequency of [1, 2, 3, 4, 5]) {
    const { programme } = heard(station(clips({ jingles: { frequency } })), 60)
    t.ok(
      distances(programme).every((songs) => songs === frequency),
      `${frequency}`,
    )
  }
  let state = station(clips({ jingles: { frequency: 3 } }))
  for (const seconds of [1, 2]) state = apply(state, { type: 'skip' }, NOON + seconds * 1000).state
  t.equal(state.onAir.phase, 'track')
  t.equal(apply(state, { type: 'skip' }, NOON + 3000).state.onAir.phase, 'jingle')
  const { onAir } = state
  if (onAir.phase !== 'track') throw new Error()
  const broken = learn(state, { type: 'unplayable', entryId: onAir.entry.entryId }, NOON + 3000).state
  t.same(broken.jingleCount, state.jingleCount, 'what could not be decoded does not count')
  t.equal(broken.onAir.phase, 'track')
})

t.test('J2 at random one to three songs lie between two jingles, each as often', async (t) => {
  const { programme } = heard(station(clips({ jingles: { frequency: 'random' } })), 3000)
  const counts = [1, 2, 3].map((n) => distances(programme).filter((songs) => songs === n).length)
  t.equal(
    counts.reduce((sum, count) => sum + count),
    distances(programme).length,
  )
  for (const count of counts) t.ok(Math.abs(count / distances(programme).length - 1 / 3) < 0.06, `${counts}`)
})

t.test('J2 the count begins anew with the mode, with another rhythm its end', async (t) => {
  const told = clips({ jingles: { frequency: 3 } })
  let { state } = heard(station(told), 2)
  t.equal(state.jingleCount.songs, 2)
  const slower = learn(state, { type: 'clips', clips: clips({ jingles: { frequency: 5 } }) }, NOON).state
  t.same(distances(heard(slower, 12).programme)[0], 3, 'five songs in all')
  const off = learn(state, { type: 'clips', clips: noClips }, NOON).state
  t.equal(endOfSound(off).state.jingleCount.songs, 0, 'and while there are none')
  state = learn(state, stationFact(alwaysDay, {}, 'sound'), NOON).state
  t.equal(apply(state, { type: 'switch-mode', target: 'night', atMs: null }, NOON + 9e6).state.mode, 'night')
  t.equal(
    apply(state, { type: 'switch-mode', target: 'night', atMs: null }, NOON + 9e6).state.jingleCount.songs,
    0,
  )
})

t.test('J3 each is as likely, but none comes twice in a row', async (t) => {
  const { programme } = heard(station(clips({ jingles: { frequency: 1 } })), 2000)
  const jingles = programme.filter((id) => id !== 's')
  t.notOk(jingles.some((id, i) => id === jingles[i - 1]))
  for (const { id } of some(4))
    t.ok(Math.abs(jingles.filter((other) => other === id).length / jingles.length - 1 / 4) < 0.05, id)
  const only = clips({ jingles: { frequency: 1, required: 1, usable: { day: [clip('one')], night: [] } } })
  t.same(heard(station(only), 4).programme, ['s', 'one', 's', 'one'], 'unless it is the only one')
})

t.test('J3 no jingle comes where the mode changes before it ends', async (t) => {
  const told = clips({ jingles: { frequency: 1 } })
  const song = [track('long', 'a', 600_000)]
  const at = (changeMs: number) => endOfSound(station(told, song, changesAt(NOON + changeMs))).state
  t.match(at(599_000), { mode: 'night', onAir: { phase: 'track' } })
  t.match(at(604_000), { mode: 'day', onAir: { phase: 'track' } }, 'nor while it is heard')
  t.match(at(606_000), { mode: 'day', onAir: { phase: 'jingle' } })
  const pending = (atMs: number) =>
    endOfSound(
      apply(
        learn(station(told, song), stationFact(alwaysDay, {}, 'sound'), NOON).state,
        { type: 'switch-mode', target: 'night', atMs },
        NOON,
      ).state,
    ).state.onAir.phase
  t.equal(pending(NOON + 603_000), 'track')
  t.equal(pending(NOON + 700_000), 'jingle')
})

t.test('J4 a jingle shows the song before it, at the position where that ended', async (t) => {
  const { state, atMs, before } = toJingle(station(clips({}), tracks(30)))
  const shown = projectSync(before, atMs)
  for (const ms of [0, 1000, 4999]) {
    const sync = projectSync(state, atMs + ms)
    t.same({ ...sync, serverTimeMs: 0 }, { ...shown, serverTimeMs: 0 })
    t.equal(sync.seek, sync.duration)
  }
  const early = apply(station(clips({ jingles: { frequency: 1 } })), { type: 'skip' }, NOON + 12_500)
  t.equal(projectSync(early.state, NOON + 14_000).seek, 12.5, 'also of one that was skipped')
  t.same(early.effects, [], 'history knows no jingles')
  t.match(apply(early.state, { type: 'skip' }, NOON + 14_000), {
    state: early.state,
    outcome: { ok: false, code: 'JINGLE_IN_PROGRESS' },
  })
  const next = queuePage(state, 0, 1).items[0]!
  const order = { ...track('ordered'), id: 'day/ordered.mp3' }
  const added = apply(
    state,
    { type: 'add-song', track: order, mode: 'day', orderType: 'requested', tier: null },
    atMs,
  )
  t.same(added.outcome, { ok: true })
  const after = endOfSound(added.state).state
  t.equal(projectSync(after, atMs + 5000).track, order.id, 'what is queued meanwhile comes next')
  t.equal(queuePage(after, 0, 1).items[0]!.id, next.id)
  const locked = apply(state, { type: 'release-track', trackId: next.id, purpose: 'remove' }, atMs)
  t.match(locked.outcome, { code: 'TRACK_LOCKED', details: { reason: 'next' } })
})

t.test(
  'J5 a jingle ends with its sound; the clock waits 15 s longer, and 30 s where it knows no length',
  async (t) => {
    for (const [durationMs, limitMs] of [
      [5_000, 20_000],
      [null, 45_000],
    ] as const) {
      const usable = { day: [clip('only', 'day', durationMs)], night: [] }
      const { state, atMs } = toJingle(station(clips({ jingles: { required: 1, frequency: 1, usable } })))
      t.equal(advance(state, atMs + limitMs - 1).state.onAir.phase, 'jingle')
      const late = advance(state, atMs + limitMs)
      t.match(late.state.onAir, { phase: 'track', startedAtMs: atMs + limitMs })
      t.match(late.effects, [{ type: 'played' }])
    }
    const { state, atMs } = toJingle(
      learn(station(clips({})), stationFact(alwaysDay, {}, 'sound'), NOON).state,
    )
    const switched = apply(state, { type: 'switch-mode', target: 'night', atMs: null }, atMs + 1000)
    t.match(switched.state.onAir, { phase: 'preparing', target: 'night' })
  },
)

t.test('J6 a jingle that cannot be decoded gives way at once, and does not come again', async (t) => {
  const { state, atMs } = toJingle(station(clips({ jingles: { frequency: 1 } })))
  if (state.onAir.phase !== 'jingle') throw new Error()
  const { entryId, clip } = state.onAir.jingle
  const { id } = clip
  const learned = learn(state, { type: 'clip-unplayable', clipId: id }, atMs + 100)
  const silent = (wasHeard: boolean) => learn(state, { type: 'blank', entryId, wasHeard }, atMs + 100)
  t.same(silent(false), learned, 'T6: as one of which nothing is heard')
  t.same(silent(true), learn(state, { type: 'sound-ended', entryId }, atMs + 100))
  t.match(learned.state.onAir, { phase: 'track', startedAtMs: atMs + 100 })
  const { programme, state: later } = heard(learned.state, 50)
  t.notOk(programme.includes(id))
  t.equal(new Set(programme).size, 4)
  const again = learn(later, { type: 'clips', clips: clips({ jingles: { frequency: 1 } }) }, atMs).state
  t.ok(heard(again, 60).programme.includes(id), 'until the station tells its clips anew')
})

t.test('J6 whoever takes over goes on with the jingle, or after it', async (t) => {
  const { state, atMs } = toJingle(station(clips({})))
  const soon = resume(readState(JSON.stringify(state)), atMs + 1000, atMs + 3000)
  t.same(soon.state, state)
  t.same(projectAir(soon.state, atMs + 3000).current?.positionMs, 3000)
  const later = resume(state, atMs + 1000, atMs + 8000)
  t.match(later.state.onAir, { phase: 'track', startedAtMs: atMs + 5000 })
  t.match(resume(state, atMs, atMs + 2 * HOUR).state.onAir, { phase: 'preparing' }, 'nothing of it is left')
})

t.test('what sounds is planned before: the next jingle, then the song after it', async (t) => {
  const { state, atMs, before } = toJingle(station(clips({ jingles: { frequency: 'random' } })))
  if (state.onAir.phase !== 'jingle') throw new Error()
  const planned = projectAir(before, atMs - 1000)
  const { jingle, entry } = state.onAir
  t.same(planned.next, { ...jingle, after: entry })
  const plan = projectAir(state, atMs)
  t.same(plan.current, { entry: planned.next, positionMs: 0 })
  const { onAir } = endOfSound(state).state
  t.same(plan.next, onAir.phase === 'track' && onAir.entry)
})

t.test('P1 a phrase begins so long before the end of each song that is longer than that', async (t) => {
  const songs = [14_000, 15_000, 16_000, 60_000, null].map((ms, i) => track(`t${i}`, `artist ${i}`, ms))
  let state = station(withPhrases(some(3)), songs)
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
  const early = station(withPhrases(some(3), 5_000), songs)
  t.match(endOfSound(endOfSound(early).state).state.clips.phrases.offsetMs, 5_000)
})

t.test(
  'P2 the phrase of a song is drawn when it starts and is the same for whoever takes over',
  async (t) => {
    const { state, atMs } = endOfSound(station(withPhrases(some(3))))
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
  const drawn = phrasesOf(station(withPhrases(some(3))))
  t.notOk(drawn.some((id, i) => id === drawn[i - 1]))
  t.same(new Set(drawn), new Set(some(3).map(({ id }) => id)))
  t.same(new Set(phrasesOf(station(withPhrases([clip('named')])))), new Set(['named']))
})

t.test('P4 a phrase that may not go on air any more is not heard, unless it sounds already', async (t) => {
  const { state, atMs } = endOfSound(station(withPhrases(some(3))))
  if (state.onAir.phase !== 'track' || !state.onAir.phrase) throw new Error()
  const { fromMs, clip } = state.onAir.phrase
  const others = withPhrases(some(3).filter(({ id }) => id !== clip.id))
  const told = (ms: number) => learn(state, { type: 'clips', clips: others }, atMs + ms).state.onAir
  t.notMatch(told(fromMs - 1), { phrase: Object })
  t.match(told(fromMs), { phrase: { fromMs } })
})

t.test('P5 a phrase that cannot be decoded leaves the song as it is, and does not come again', async (t) => {
  const { state, atMs } = endOfSound(station(withPhrases(some(2))))
  if (state.onAir.phase !== 'track' || !state.onAir.phrase) throw new Error()
  const { phrase, ...song } = state.onAir
  const learned = learn(state, { type: 'clip-unplayable', clipId: phrase.clip.id }, atMs + 1000).state
  t.same(learned.onAir, song)
  t.notMatch(endOfSound(endOfSound(learned).state).state.onAir, { phrase: { clip: { id: phrase.clip.id } } })
})

t.test('R3 a state that knows of no clips is one without', async (t) => {
  const state = playing(tracks(9), 'sound')
  const { clips: _, jingleCount, lastJingleId, lastPhraseId, ...older } = { ...state, version: 3 }
  t.same(readState(JSON.stringify(older)), state)
  const { background, ...clips } = noClips
  t.same(readState(JSON.stringify({ ...state, version: 3, clips })), state)
})

t.test('whatever happens, the air stays legal and songs are played as often as they start', async (t) => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = randomFrom(seed)
    let nowMs = NOON
    const told = clips({
      jingles: { frequency: seed % 2 ? 'random' : 1 },
      phrases: { usable: { day: some(2), night: [] }, offsetMs: 15_000 },
    })
    let state = station(told, tracks(12), changesAt(NOON + HOUR))
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
