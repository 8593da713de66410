import t from 'tap'
import {
  all,
  alwaysDay,
  assertLegal,
  HOUR,
  library,
  NOON,
  onAir,
  ordered,
  playing,
  randomFrom,
  track,
  tracks,
  withLists,
} from '../../../../tests/harness/air/programme.ts'
import type { Effect } from '../model/commands/commands.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import { naturalMode } from '../model/schedule.ts'
import type { PlayoutState, Schedule, TrackRef } from '../model/state.ts'
import type { Step } from '../model/steps.ts'
import { projectAir } from '../project/air.ts'
import { projectSync } from '../project/sync.ts'
import { lockOf, shownQueue } from '../queue/projection.ts'
import { generatePlaylist } from '../rotation/playlist.ts'
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

t.test(
  'T4: what cannot be decoded gives way at once, leaves the queue, and comes back with the library',
  async (t) => {
    const start = playing(tracks(12), 'sound')
    const bad = onAir(start)!
    const next = upcoming(start)[0]!
    const given = learn(start, { type: 'unplayable', entryId: bad.entryId }, NOON + 1000)
    t.equal(onAir(given.state)?.entryId, next.entryId)
    t.notOk(upcoming(given.state).some((entry) => entry.track.id === bad.track.id))

    const later = upcoming(given.state)[3]!
    const dropped = learn(given.state, { type: 'unplayable', entryId: later.entryId }, NOON + 2000).state
    t.equal(onAir(dropped)?.entryId, next.entryId, 'further back it only leaves the queue')
    t.notOk(upcoming(dropped).some((entry) => entry.track.id === later.track.id))
    t.same(dropped.unplayable, [bad.track.id, later.track.id])

    const known = apply(dropped, { type: 'library-changed' }, NOON + 3000).state
    t.same(known.unplayable, [])
  },
)

t.test('T4: of what cannot be decoded the last hundred are known, each once', async (t) => {
  let state = playing(tracks(150), 'sound')
  const bad: string[] = []
  while (bad.length < 120) {
    const entry = onAir(state)!
    bad.push(entry.track.id)
    state = learn(state, { type: 'unplayable', entryId: entry.entryId }, NOON + bad.length).state
  }
  t.same(state.unplayable, bad.slice(-100))
  const again = { ...state, unplayable: [onAir(state)!.track.id, 'another'] }
  const twice = learn(again, { type: 'unplayable', entryId: onAir(state)!.entryId }, NOON + 200).state
  t.same(twice.unplayable, ['another', onAir(state)!.track.id])
})

t.test(
  'T6: what is silent is over, or as good as undecodable; after two of those comes what sounds',
  async (t) => {
    const names = ['first', 'heard', 'mute', 'hush', 'next', 'measured', 'last']
    const songs = names.map((name) => track(name))
    songs[5] = { ...songs[5]!, cuePoints: { gainDb: -3, startMs: 0, endMs: null } }
    const first = withQueue(songs)
    const silent = (state: PlayoutState, wasHeard: boolean) =>
      learn(state, { type: 'blank', entryId: onAir(state)!.entryId, wasHeard }, NOON + 8000)
    const played = (state: PlayoutState) => silent(state, true).state
    const unheard = (state: PlayoutState) => silent(state, false).state
    const isOnAir = (state: PlayoutState, name: string) => t.equal(onAir(state)?.track.title, name)

    const over = silent(first, true)
    t.same(over, learn(first, { type: 'sound-ended', entryId: onAir(first)!.entryId }, NOON + 8000))
    const mute = played(over.state)
    isOnAir(mute, 'mute')
    const hush = unheard(mute)
    isOnAir(hush, 'hush')
    t.same(hush.unplayable, [songs[2]!.id])
    t.same(
      hush,
      learn(mute, { type: 'unplayable', entryId: onAir(mute)!.entryId }, NOON + 8000).state,
      'one alone is only left',
    )
    const safe = unheard(hush)
    isOnAir(safe, 'first')
    assertLegal(t, safe, NOON + 8000)
    isOnAir(played(safe), 'next')
    t.equal(unheard(hush).serial, hush.serial + 1, 'the one that was heard longest ago comes again')
    isOnAir(unheard(safe), 'heard')
    isOnAir(played(hush), 'next')
    isOnAir(unheard(played(hush)), 'measured')

    const begun = unheard(unheard(withQueue(songs.slice(2))))
    isOnAir(begun, 'measured')
    t.same(
      upcoming(begun).map((entry) => entry.track.title),
      ['next', 'last'],
      'where nothing was heard yet the next one that was measured goes first, and keeps its place in the count',
    )
    const unknown = unheard(unheard(withQueue([songs[2]!, songs[3]!, songs[4]!])))
    isOnAir(unknown, 'next')
    t.equal(
      learn(begun, { type: 'blank', entryId: 'none', wasHeard: false }, NOON + 8000).state,
      begun,
      'what is not on air is not left',
    )
  },
)

/** A list of just these songs, the first one on air, and an empty one behind it. */
function withQueue(songs: TrackRef[]): PlayoutState {
  const start = playing(songs, 'sound')
  const entries = songs.map((song, i) => ({ entryId: `q${i}`, track: song, orderType: null, tier: null }))
  return {
    ...start,
    onAir: { phase: 'track', entry: entries[0]!, startedAtMs: NOON },
    playlist: { entries, index: 0, repeats: false },
    prepared: { day: { entries: [], repeats: false } },
  }
}

t.test(
  'L2, L5: ten upcoming entries are always known, and the next list follows without a pause',
  async (t) => {
    let state = playing(tracks(14))
    const seen: string[] = []
    for (let i = 0; i < 40; i++) {
      t.equal(projectSync(state, nextDueMs(state)! - 1).playlist.length, 10)
      seen.push(onAir(state)!.track.id)
      const promised = upcoming(state)[0]!.entryId
      state = advance(state, nextDueMs(state)!).state
      t.equal(onAir(state)?.entryId, promised)
      state = withLists(state, () => tracks(14), NOON)
    }
    t.equal(new Set(seen.slice(0, 14)).size, 14, 'every track once per list')
  },
)

t.test('L3: without anything to play the air is preparing, and the first track starts it', async (t) => {
  const empty = learn(initialState(1, 'clock', alwaysDay, NOON), library([]), NOON).state
  t.match(projectSync(empty, NOON + 5000), {
    track: null,
    isPreparing: true,
    isPlaying: false,
    playlist: [],
    title: '',
    mode: 'day',
  })
  t.same(wantedPlaylists(empty), [], 'nobody reads an empty library again and again')
  const changed = apply(empty, { type: 'library-changed' }, NOON + 6000).state
  t.same(wantedPlaylists(changed), ['day'])
  const started = learn(changed, library([track('only')]), NOON + 6100)
  t.match(started.state.onAir, { phase: 'track', startedAtMs: NOON + 6100 })
  t.equal(started.effects.length, 1)
})

t.test(
  'L4: a list that repeats a small library ends with the current entry when the library changes',
  async (t) => {
    const start = playing([track('a'), track('b')])
    const changed = apply(start, { type: 'library-changed' }, NOON + 1).state
    t.same(upcoming(changed), upcoming(start), 'nothing that is shown changes before there is another list')
    t.same(wantedPlaylists(changed), ['day'])
    const informed = learn(changed, library(tracks(30)), NOON + 2).state
    t.equal(upcoming(informed).length, 30)
    const otherwise = apply(start, { type: 'settings-changed' }, NOON + 1).state
    t.same(otherwise.playlist, start.playlist, 'it goes on when only settings change')
    t.same(upcoming(otherwise), upcoming(start))
    t.same(wantedPlaylists(otherwise), ['day'])
    const large = playing(tracks(30))
    t.equal(
      apply(large, { type: 'library-changed' }, NOON).state.playlist.entries.length,
      30,
      'a full list goes on',
    )
  },
)

t.test(
  'L4: a list that is made anew holds its place until then, and gives way soon if it began meanwhile',
  async (t) => {
    const large = playing(tracks(30), 'sound')
    const last = { ...large.playlist, index: 29 }
    const entry = last.entries[29]!
    const end = { ...large, playlist: last, onAir: { ...large.onAir, entry } } as PlayoutState
    const changed = apply(end, { type: 'library-changed' }, NOON).state
    t.same(shownQueue(changed), shownQueue(end))
    t.equal(lockOf(changed, upcoming(end)[0]!.track.id), 'next')

    const begun = learn(changed, { type: 'sound-ended', entryId: entry.entryId }, NOON + 9_000)
    t.match(begun.effects, [{ type: 'played' }], 'nobody waits for a store that is away')
    t.equal(onAir(begun.state)?.entryId, end.prepared.day!.entries[0]!.entryId)
    t.same(wantedPlaylists(begun.state), ['day'])
    const paid = ordered(begun.state, track('paid'), 'donated')
    const informed = learn(paid, library(tracks(40)), NOON + 10_000).state
    t.same(wantedPlaylists(informed), [])
    t.match(upcoming(informed).slice(0, 1), [{ orderType: 'donated' }])
    t.equal(upcoming(informed).length, 1 + 40, 'what was generated gives way')
    t.equal(onAir(informed)?.entryId, onAir(begun.state)?.entryId)
    const again = apply(informed, { type: 'settings-changed' }, NOON + 11_000).state
    const renewed = learn(again, library(tracks(40)), NOON + 12_000).state
    t.same(renewed.playlist, informed.playlist, 'a list that is not stale stays')
    t.notSame(upcoming(renewed), upcoming(informed))
  },
)

t.test('G: lists are within their limits and as varied as the library allows, for any seed', async (t) => {
  const random = randomFrom(42)
  for (let run = 0; run < 300; run++) {
    const seed = random(2 ** 31)
    const artists = 1 + random(8)
    const songs = Array.from({ length: 1 + random(60) }, (_, i) =>
      track(`s${i}`, `a${random(artists)}`, 20_000 + random(400_000)),
    )
    const settings = { ...all, useAll: random(2) === 0, maxDurationMs: HOUR + random(3 * HOUR) }
    const after = random(2) ? songs[random(songs.length)]! : null
    const list = generatePlaylist(songs, settings, seed, after)
    const lengthMs = list.tracks.reduce((sum, song) => sum + song.durationMs!, 0)

    t.ok(list.tracks.length >= Math.min(11, songs.length), 'G3')
    if (!list.repeats) {
      t.equal(new Set(list.tracks).size, list.tracks.length, 'G1: once per round')
      if (!settings.useAll && list.tracks.length > 1)
        t.ok(lengthMs <= settings.maxDurationMs, 'G1: not too long')
    }
    if (songs.length > 1) {
      const before = [after, ...list.tracks]
      t.notOk(
        list.tracks.some((song, i) => song.id === before[i]?.id),
        'G3: never the same track twice in a row',
      )
    }
    t.same(generatePlaylist(songs, settings, seed, after), list, 'G4: reproducible')
  }
})

t.test('G2: an artist follows himself only where nobody else is left', async (t) => {
  const meetings = (songs: TrackRef[]) =>
    songs.filter((song, i) => song.artist === songs[i - 1]?.artist).length
  for (let seed = 0; seed < 100; seed++) {
    const list = generatePlaylist(tracks(40, 8), all, seed, null).tracks
    // Songs that were passed over stand behind all others, so artists meet there alone.
    const varied = list.findIndex((song, i) => song.artist === list[i - 1]?.artist)
    const passedOver = varied < 0 ? 0 : list.length - varied
    t.ok(passedOver < list.length / 2, `seed ${seed}: ${passedOver} at the end`)
    t.equal(meetings(list.slice(0, varied < 0 ? undefined : varied)), 0, `seed ${seed}`)
  }
})

const night: Schedule = {
  natural: 'day',
  changes: [
    { atMs: NOON + 100_000, mode: 'night' },
    { atMs: NOON + 10 * HOUR, mode: 'day' },
  ],
}

t.test('M1: night begins at the first track boundary after its hour, with its own list', async (t) => {
  const songs = [track('a', 'x', 90_000), track('b', 'y', 90_000), track('c', 'z', 90_000)]
  let state = learn(initialState(1, 'clock', night, NOON), library(songs), NOON).state
  t.same(wantedPlaylists(state).sort(), ['day', 'night'])
  state = learn(state, library([{ ...track('n'), id: 'night/n.mp3' }], 'night'), NOON).state
  const atHour = advance(state, NOON + 100_001).state
  t.equal(atHour.mode, 'day', 'the second track plays on')
  t.match(
    projectAir(atHour, NOON + 100_001).next,
    { track: { id: 'night/n.mp3' } },
    'and the first one of the night is known',
  )
  const after = advance(state, NOON + 180_000).state
  t.match(after, {
    mode: 'night',
    playlist: { index: 0 },
    onAir: { startedAtMs: NOON + 180_000, entry: { track: { id: 'night/n.mp3' } } },
  })
})

t.test('M2: an empty day gives way to the night at its hour', async (t) => {
  let state = learn(initialState(1, 'clock', night, NOON), library([]), NOON).state
  state = learn(state, library([track('n')], 'night'), NOON).state
  t.equal(state.onAir.phase, 'preparing')
  t.match(advance(state, NOON + 100_000).state, {
    mode: 'night',
    onAir: { phase: 'track', startedAtMs: NOON + 100_000 },
  })
})

t.test('R1: a station that was away for minutes goes on where the clock is, in both modes', async (t) => {
  for (const pace of ['clock', 'sound'] as const) {
    const start = playing(tracks(20), pace)
    const first = onAir(start)!
    const middle = resume(start, NOON + 1000, NOON + 30_000)
    t.equal(onAir(middle.state)?.entryId, first.entryId)
    t.same(middle.effects, [], 'T5: going on is no start')
    t.equal(projectAir(middle.state, NOON + 30_000).current?.positionMs, 30_000)
    const later = resume(start, NOON + 1000, NOON + first.track.durationMs! + 2000)
    t.equal(onAir(later.state)?.entryId, upcoming(start)[0]!.entryId)
    t.equal(later.state.pace, pace)
  }
})

t.test('R2: after ten minutes of silence a new list begins', async (t) => {
  const { state } = resume(playing(tracks(20)), NOON, NOON + 600_000)
  t.match(state.onAir, { phase: 'preparing' })
  t.same(upcoming(state), [])
  t.same(wantedPlaylists(state), ['day'])
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
