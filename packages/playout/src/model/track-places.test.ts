import t from 'tap'
import { largeStation } from '../../../../tests/harness/air/large-station.ts'
import { NOON, playing, randomFrom, toEnd, track, tracks } from '../../../../tests/harness/air/programme.ts'
import { searchQueue } from '../queue/projection.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { noteCuePoints } from './cue-point-changes.ts'
import type { PlayoutState, PreparedPlaylist } from './state.ts'
import { learnPlaces, ordersOf, placesOf, replaced, spliced, without } from './track-places.ts'

/** A state that counts how often a track of an entry is looked at. */
function watched(state: PlayoutState): { state: PlayoutState; looks(): number } {
  let count = 0
  const watch = <L extends PreparedPlaylist>(list: L): L => ({
    ...list,
    entries: list.entries.map((entry) =>
      Object.defineProperty({ ...entry }, 'track', {
        enumerable: true,
        get() {
          count++
          return entry.track
        },
      }),
    ),
  })
  const { playlist, prepared } = state
  return {
    state: {
      ...state,
      playlist: watch(playlist),
      prepared: Object.fromEntries(Object.entries(prepared).map(([mode, other]) => [mode, watch(other)])),
    },
    looks() {
      const looks = count
      count = 0
      return looks
    },
  }
}

t.test('tracks and orders are found wherever they stand, also in what lists become', async (t) => {
  const random = randomFrom(7)
  const ids = Array.from({ length: 40 }, (_, i) => track(`song ${i}`))
  const kinds = [null, null, null, null, 'requested', 'donated'] as const
  const some = (count: number) =>
    Array.from({ length: count }, () => ({ track: ids[random(40)]!, orderType: kinds[random(6)]! }))
  let entries = some(60)
  learnPlaces(entries)
  for (let turn = 0; turn < 400; turn++) {
    const places = entries.flatMap((_, i) => (random(20) === 0 ? [i] : []))
    const [at, leaving] = [random(entries.length + 1), random(4)]
    const coming = some(random(5))
    const other = (entry: (typeof entries)[number]) => ({ ...entry, track: { ...entry.track, year: turn } })
    const [next, expected] = [
      () => [spliced(entries, at, leaving, coming), entries.toSpliced(at, leaving, ...coming)] as const,
      () => [without(entries, places), entries.filter((_, i) => !places.includes(i))] as const,
      () =>
        [
          replaced(entries, places, other),
          entries.map((entry, i) => (places.includes(i) ? other(entry) : entry)),
        ] as const,
    ][turn % 3]!()
    t.same(next, expected)
    const picked = Array.from({ length: turn % 2 ? 2 : 30 }, () => ids[random(40)]!.id)
    const wanted = new Set([...picked, 'nowhere'])
    t.same(
      placesOf(next, wanted),
      next.flatMap((entry, i) => (wanted.has(entry.track.id) ? [i] : [])),
    )
    t.same(
      ordersOf(next),
      next.flatMap((entry, i) => (entry.orderType ? [i] : [])),
    )
    entries = next.length > 200 ? some(60) : next
  }
  const [one, another] = [track('Aa'), track('BB')].map((track) => ({ track }))
  t.same(placesOf([one!, another!], new Set([another!.track.id])), [1], 'ids of one number are told apart')
})

t.test('what a changed title costs does not grow with the library', async (t) => {
  const looksOf = (size: number) => {
    const { state, looks } = watched(largeStation(size))
    const rename = (before: PlayoutState, i: number) => {
      const song = { ...before.playlist.entries[i]!.track, title: 'Another' }
      looks()
      return apply(before, { type: 'library-changed', settled: [{ trackId: song.id, track: song }] }, NOON)
        .state
    }
    const known = rename(state, 10)
    looks()
    const renamed = rename(known, 20)
    const first = looks()
    const order = { track: track('asked for'), mode: 'day', orderType: 'requested', tier: null } as const
    const added = apply(renamed, { type: 'add-song', ...order }, NOON).state
    t.not(added, renamed)
    const again = rename(added, 30)
    const second = looks()
    t.same(
      [again.playlist, again.prepared.day!].map(
        ({ entries }) => entries.filter((entry) => entry.track.title === 'Another').length,
      ),
      [3, 3],
    )
    return [first, second]
  }
  const small = looksOf(500)
  t.same(looksOf(5_000), small)
  t.ok(Math.max(...small) < 30, `${small} looks`)
})

t.test('V3: what new cue points cost does not grow with the library', async (t) => {
  const looksOf = (size: number) => {
    const { state, looks } = watched(largeStation(size))
    for (const { entries } of [state.playlist, ...Object.values(state.prepared)]) learnPlaces(entries)
    const first = Object.fromEntries(state.playlist.entries.map(({ track }) => [track.id, track.cuePoints!]))
    const tell = (before: PlayoutState, cuePoints: typeof first) =>
      learn(before, { type: 'cue-points', cuePoints }, NOON).state
    const informed = tell(state, first)
    const order = { track: track('asked for'), mode: 'day', orderType: 'requested', tier: null } as const
    const added = apply(informed, { type: 'add-song', ...order }, NOON).state
    const ids = [state.playlist.entries[size - 7]!.track.id, order.track.id]
    const cuePoints = { gainDb: -1, startMs: 0, endMs: null }
    const second = { ...first, ...Object.fromEntries(ids.map((id) => [id, cuePoints])) }
    noteCuePoints(first, second, new Set(ids))
    looks()
    const measured = tell(added, second)
    const count = looks()
    const found = measured.playlist.entries.filter((entry) => entry.track.cuePoints?.gainDb === -1)
    t.same(
      found.map((entry) => entry.track.id),
      ids.toReversed(),
    )
    return count
  }
  const small = looksOf(500)
  t.same(looksOf(5_000), small)
  t.ok(small < 60, `${small} looks`)
})

t.test('a long queue is searched in steps, and what is found is bounded', async (t) => {
  const { state, looks } = watched(largeStation(20_000))
  const search = searchQueue(state, 'usual length')
  const steps: number[] = []
  let step = search.next()
  for (; !step.done; step = search.next()) steps.push(looks())
  t.equal(steps.length, 4)
  // Each is looked at to be compared, and what is found once more.
  t.ok(Math.max(...steps) <= 4_000, `${steps} looks`)
  t.equal(step.value.total, 9_999)
  t.equal(step.value.items.length, 1_000)
  t.match(step.value.items.at(-1), { position: 1_000 })
  t.equal(toEnd(searchQueue(playing(tracks(5)), 'artist')).items.length > 0, true)
})
