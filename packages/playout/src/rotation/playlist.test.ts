import t from 'tap'
import {
  all,
  HOUR,
  library,
  NOON,
  playing,
  randomFrom,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import type { RotationSettings } from '../model/commands/commands.ts'
import { durationOf, type TrackRef } from '../model/state.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { groupTracks } from './groups.ts'
import { generatePlaylist } from './playlist.ts'

const groups = { rock: ['A', 'B'], pop: ['C', 'D'], jazz: ['E'], others: [] }

const lengthOf = (tracks: readonly TrackRef[]) => tracks.reduce((sum, song) => sum + durationOf(song), 0)

const groupOf = (song: TrackRef, defs: RotationSettings['groups']) =>
  groupTracks([song], defs).find(({ tracks }) => tracks.length > 0)!.name

/** Songs of the artists of some groups, file names without a word of them. */
function songsOf(random: (n: number) => number, count: number, artists: string): TrackRef[] {
  return Array.from({ length: count }, (_, i) =>
    track(`${i}`, artists[random(artists.length)]!, random(20) ? 60_000 + random(300_000) : null),
  )
}

/** How often two of one group must meet in a section that follows a group, at least. */
function fewestMeetings(counts: Map<string, number>, before: string | null): number {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return Math.max(
    0,
    ...[...counts].map(([name, count]) => count - (total - count) - (name === before ? 0 : 1)),
  )
}

t.test('G6: in every section each group has its share, and neighbours differ where they can', async (t) => {
  let whole = 0
  for (let run = 0; run < 400; run++) {
    const random = randomFrom(run + 1)
    const songs = songsOf(random, 12 + random(90), 'ABCDEXY'.slice(0, 3 + random(5)))
    const settings: RotationSettings = {
      ...all,
      useAll: random(2) === 0,
      maxDurationMs: HOUR + random(3 * HOUR),
      algorithm: 'sections',
      groups,
      songsPerSection: 1 + random(20),
    }
    const after = random(3) ? songs[random(songs.length)]! : null
    const list = generatePlaylist(songs, settings, run, after)
    t.same(generatePlaylist(songs, settings, run, after), list, 'G4: reproducible')
    if (list.repeats) continue
    const limitMs =
      settings.useAll || lengthOf(songs) <= HOUR ? Number.POSITIVE_INFINITY : settings.maxDurationMs
    if (lengthOf(list.tracks) > limitMs) t.fail('G1: too long', { run })
    if (new Set(list.tracks).size !== list.tracks.length) t.fail('G1: a track came twice', { run })

    const pools = groupTracks(songs, groups).filter(({ tracks }) => tracks.length > 0)
    const left = new Map(pools.map(({ name, tracks }) => [name, tracks.length]))
    const shares = new Map(
      pools.map(({ name, tracks }) => [
        name,
        Math.max(1, Math.round((tracks.length / songs.length) * settings.songsPerSection)),
      ]),
    )
    if (pools.length < 2) continue
    let before = after && groupOf(after, groups)
    let rest = list.tracks
    while (rest.length > 0) {
      const counts = new Map([...left].map(([name, count]) => [name, Math.min(count, shares.get(name)!)]))
      const size = [...counts.values()].reduce((sum, count) => sum + count, 0)
      const section = rest.slice(0, size)
      const names = section.map((song) => groupOf(song, groups))
      if (section.length < size && rest !== list.tracks) t.fail('only the first section may be cut', { run })
      if (section.length === size) {
        whole++
        for (const [name, count] of counts) {
          if (names.filter((other) => other === name).length !== count) t.fail('not its share', { run, name })
        }
        const meetings = names.filter((name, i) => name === (i === 0 ? before : names[i - 1])).length
        if (meetings !== fewestMeetings(counts, before)) t.fail('groups meet needlessly', { run, names })
      }
      for (const [name, count] of counts) left.set(name, left.get(name)! - count)
      before = names.at(-1)!
      rest = rest.slice(size)
    }
    if (limitMs === Number.POSITIVE_INFINITY)
      t.equal(list.tracks.length, songs.length, 'G6: until none is left')
  }
  t.ok(whole > 1_000, 'there was something to look at', { whole })
})

t.test('G6: a first section that is too long is cut to the limit', async (t) => {
  const songs = songsOf(randomFrom(5), 120, 'ACE')
  const settings = { ...all, useAll: false, maxDurationMs: HOUR, algorithm: 'sections', groups } as const
  const { tracks } = generatePlaylist(songs, { ...settings, songsPerSection: 90 }, 1, null)
  t.ok(lengthOf(tracks) <= HOUR)
  t.ok(lengthOf(tracks) > HOUR - 360_000)
  const names = tracks.map((song) => groupOf(song, groups))
  t.notOk(names.some((name, i) => name === names[i - 1]))
})

t.test('G7: group sections are one song of each group, as many as the smallest group has', async (t) => {
  let seen = 0
  for (let run = 0; run < 400; run++) {
    const random = randomFrom(run + 1_000)
    const songs = songsOf(random, 30 + random(90), 'ABCDEXY'.slice(0, 3 + random(5)))
    const settings: RotationSettings = {
      ...all,
      useAll: random(2) === 0,
      maxDurationMs: HOUR + random(3 * HOUR),
      algorithm: 'group-sections',
      groups,
    }
    const after = random(3) ? songs[random(songs.length)]! : null
    const list = generatePlaylist(songs, settings, run, after)
    t.same(generatePlaylist(songs, settings, run, after), list, 'G4: reproducible')
    const pools = groupTracks(songs, groups).filter(({ tracks }) => tracks.length > 0)
    if (pools.length < 2 || list.repeats) continue
    seen++
    const smallest = Math.min(...pools.map(({ tracks }) => tracks.length))
    const sections = list.tracks.length / pools.length
    const limitMs = settings.useAll ? Number.POSITIVE_INFINITY : settings.maxDurationMs
    const names = list.tracks.map((song) => groupOf(song, groups))
    if (!Number.isInteger(sections) || sections > smallest) t.fail('not whole sections', { run, names })
    if (lengthOf(list.tracks) > limitMs) t.fail('G1: too long', { run })
    if (sections < smallest && lengthOf(list.tracks) + pools.length * 360_000 <= limitMs)
      t.fail('another section would have fitted', { run })
    for (let from = 0; from < names.length; from += pools.length) {
      if (new Set(names.slice(from, from + pools.length)).size !== pools.length)
        t.fail('a section without a group', { run, names })
    }
    const before = [after && groupOf(after, groups), ...names]
    if (names.some((name, i) => name === before[i])) t.fail('a group follows itself', { run, names })
  }
  t.ok(seen > 200, 'there was something to look at', { seen })
})

t.test('G8: what groups cannot give is made as simple', async (t) => {
  const songs = songsOf(randomFrom(9), 40, 'ABCDE')
  const simple = generatePlaylist(songs, all, 3, null)
  for (const algorithm of ['sections', 'group-sections'] as const) {
    t.same(generatePlaylist(songs, { ...all, algorithm }, 3, null), simple, 'no groups')
    t.same(
      generatePlaylist(songs, { ...all, algorithm, groups: { one: ['A'] } }, 3, null),
      simple,
      'one group',
    )
    const oneInUse = { none: ['nobody'], others: [] }
    t.same(
      generatePlaylist(songs, { ...all, algorithm, groups: oneInUse }, 3, null),
      simple,
      'one that has tracks',
    )
    const settings = { ...all, useAll: false, maxDurationMs: HOUR, algorithm, groups }
    const long = songs.map((song) => ({ ...song, durationMs: 2 * HOUR }))
    const [first] = generatePlaylist(long, settings, 3, null).tracks
    t.ok(first, 'G1: a list begins with a track whatever its length')
    t.same(generatePlaylist([], settings, 3, null).tracks, [])
  }
  const hours = songs.map((song) => ({ ...song, durationMs: 50 * 60_000 }))
  const settings = {
    ...all,
    useAll: false,
    maxDurationMs: HOUR,
    algorithm: 'group-sections',
    groups,
  } as const
  t.equal(
    new Set(generatePlaylist(hours, settings, 3, null).tracks).size,
    11,
    'no section fits: rounds of one song',
  )
})

t.test('G1: a library of at most an hour is played whole', async (t) => {
  const songs = Array.from({ length: 20 }, (_, i) => track(`${i}`, 'ACE'[i % 3], 180_000))
  for (const algorithm of ['simple', 'sections'] as const) {
    const settings = { ...all, useAll: false, maxDurationMs: 60_000, algorithm, groups, songsPerSection: 5 }
    t.same(
      generatePlaylist(songs, settings, 1, null)
        .tracks.map(({ id }) => id)
        .sort(),
      songs.map(({ id }) => id).sort(),
    )
  }
})

t.test(
  'G3: small libraries are played in rounds by every algorithm, never a track twice in a row',
  async (t) => {
    for (let run = 0; run < 300; run++) {
      const random = randomFrom(run + 7)
      const songs = songsOf(random, 2 + random(10), 'ABCDEXY'.slice(0, 2 + random(6)))
      const algorithm = (['simple', 'sections', 'group-sections'] as const)[run % 3]!
      const after = songs[random(songs.length)]!
      const settings = { ...all, algorithm, groups, songsPerSection: 1 + random(6) }
      const { tracks } = generatePlaylist(songs, settings, run, after)
      if (tracks.length < 11) t.fail('too short', { run })
      if (tracks.some((song, i) => song.id === (i === 0 ? after : tracks[i - 1]!).id))
        t.fail('a track follows itself', { run, algorithm })
    }
  },
)

t.test('G8: within groups no artist follows himself while there is another one', async (t) => {
  // Everybody is in two groups by the names of the files, so that artists could meet at every border.
  const songs = Array.from({ length: 60 }, (_, i) =>
    track(`${i % 2 ? 'live' : 'studio'} ${i}`, 'ABCDEF'[i % 6]),
  )
  const byFile = { live: ['live'], studio: ['studio'] }
  for (const algorithm of ['sections', 'group-sections'] as const) {
    for (let seed = 0; seed < 20; seed++) {
      const settings = { ...all, algorithm, groups: byFile, songsPerSection: 10 }
      const { tracks } = generatePlaylist(songs, settings, seed, null)
      const meetings = tracks.slice(0, -10).filter((song, i) => song.artist === tracks[i - 1]?.artist)
      t.same(meetings, [])
    }
  }
})

t.test('the border between two lists is as good as the inside', async (t) => {
  const songs = songsOf(randomFrom(11), 40, 'ABCDE')
  const settings = { ...all, algorithm: 'sections' as const, groups, songsPerSection: 8 }
  let state = playing(songs)
  for (let i = 0; i < 20; i++) {
    state = learn(
      apply(state, { type: 'library-changed' }, NOON).state,
      library(songs, 'day', settings),
      NOON,
    ).state
    const last = state.playlist.entries.at(-1)!.track
    t.not(groupOf(state.prepared.day!.entries[0]!.track, groups), groupOf(last, groups))
  }
})

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

t.test('G4: a seed gives the same order in every version, or no logbook could be replayed', async (t) => {
  const songs = songsOf(randomFrom(5), 16, 'ACE')
  for (const [algorithm, seed, order] of [
    ['simple', 1, '4 13 1 2 15 0 10 14 5 8 9 6 3 11 12 7'],
    ['simple', 20_261_128, '9 14 11 0 7 13 5 10 1 2 15 8 12 3 6 4'],
    ['sections', 1, '11 2 3 5 9 4 10 13 15 12 14 6 0 7 1 8'],
    ['sections', 20_261_128, '15 14 6 8 7 4 3 0 9 12 13 10 1 11 2 5'],
    ['group-sections', 1, '2 11 5 13 3 4 0 9 14 10 8 1'],
    ['group-sections', 20_261_128, '14 8 15 4 6 0 1 7 13 3 2 5'],
  ] as const) {
    const settings = { ...all, algorithm, groups, songsPerSection: 5 }
    const { tracks } = generatePlaylist(songs, settings, seed, null)
    t.equal(tracks.map(({ title }) => title).join(' '), order, `${algorithm} with ${seed}`)
  }
})
