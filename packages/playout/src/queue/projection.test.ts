import type { QueueItem } from '@solstice/contracts'
import t from 'tap'
import { refusal, release } from '../../../../tests/harness/air/night-station.ts'
import {
  alwaysDay,
  NOON,
  onAir,
  playing,
  toEnd,
  track,
  tracks,
  withLists,
} from '../../../../tests/harness/air/programme.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming } from '../model/playlists.ts'
import { projectSync } from '../project/sync.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { lockOf, queuePage, searchQueue } from './projection.ts'

/** An item of the queue as `sync` shows it, without its length and the id of its entry. */
const asInSync = ({ duration, entryId, ...item }: QueueItem) => item

t.test('Q1: pages see what sync shows, and the whole rest of the list', async (t) => {
  const start = playing(tracks(14))
  const page = queuePage(start, 0, 10)
  t.equal(page.total, 13, 'at the start of a list: its size minus one')
  t.same(page.items.map(asInSync), projectSync(start, NOON).playlist)
  t.equal(page.items[0]!.duration, 64, 'each with its length in seconds')
  t.equal(page.items[0]!.entryId, upcoming(start)[0]!.entryId)
  t.same(queuePage(start, 10, 10).items.length, 3)
  t.same(queuePage(start, -5, 3).items, page.items.slice(0, 3))
  t.same(queuePage(start, 0, -1).items, [])
  t.equal(queuePage(playing(tracks(150)), 0, 1000).items.length, 100)
})

t.test('Q1a: where the rest is short the prepared list makes up ten', async (t) => {
  const start = playing(tracks(14))
  let last = start
  while (last.playlist.index < 13) last = advance(last, nextDueMs(last)!).state
  t.equal(queuePage(last, 0, 100).total, 10)
  t.same(queuePage(last, 0, 100).items.map(asInSync), projectSync(last, nextDueMs(last)! - 1).playlist)
})

t.test('Q1: a search finds all words of a query, with positions', async (t) => {
  const start = playing(tracks(14))
  const queue = upcoming(start)
  const third = queue[2]!.track
  t.match(toEnd(searchQueue(start, `${third.title.toUpperCase()}, ${third.artist}|`)), {
    total: 1,
    items: [{ position: 3, id: third.id }],
  })
  t.same(
    toEnd(searchQueue(start, 'artist-1 t1'))
      .items.map((item) => item.id)
      .sort(),
    ['t1', 't10', 't11', 't12', 't13']
      .map((name) => `day/${name}.mp3`)
      .filter((id) => id !== onAir(start)!.track.id),
  )
  t.equal(toEnd(searchQueue(start, '')).total, 13)
  t.equal(toEnd(searchQueue(start, 'no such')).total, 0)
})

t.test('Q1d: while preparing there are no entries', async (t) => {
  t.same(queuePage(initialState(1, 'clock', alwaysDay, NOON), 0, 10), { items: [], total: 0 })
})

t.test('K1a, K1b: what is on air or next is locked, also across the end of a list', async (t) => {
  let state = playing(tracks(12))
  const lockedBy = (trackId: string) => refusal(apply(state, release(trackId, 'edit'), NOON).outcome)
  for (let i = 0; i < 30; i++) {
    const [next, later] = upcoming(state)
    t.same(lockedBy(onAir(state)!.track.id), { reason: 'current' })
    t.same(lockedBy(next!.track.id), { reason: 'next' })
    t.equal(lockOf(state, later!.track.id), null)
    t.same(apply(state, release(later!.track.id, 'edit'), NOON), {
      state,
      effects: [],
      outcome: { ok: true, removed: 0 },
    })
    state = withLists(advance(state, nextDueMs(state)!).state, () => tracks(12), NOON)
  }
})

t.test('K1a: ids are compared, so each entry of a track locks it', async (t) => {
  const small = playing([track('a'), track('b')])
  t.same(['day/a.mp3', 'day/b.mp3'].map((id) => lockOf(small, id)).sort(), ['current', 'next'])
})

t.test('K1c: while preparing nothing is locked', async (t) => {
  t.equal(
    lockOf(initialState(1, 'clock', alwaysDay, NOON), 'day/a.mp3'),
    null,
    'while preparing nothing is locked',
  )
})
