import type { PlayoutState } from '@solstice/playout'
import t from 'tap'
import { NOON, playing, tracks } from '../../../../tests/harness/air/programme.ts'
import { createSecondChance } from './second-chance.ts'

const MINUTE = 60_000

/** Asks every 20 s, as the worker does, until something is due. */
function minutesUntilDue(ask: () => Set<string>, clock: { nowMs: number }, most = 600): number {
  const sinceMs = clock.nowMs
  while (ask().size === 0) {
    clock.nowMs += 20_000
    if (clock.nowMs - sinceMs > most * MINUTE) return Number.POSITIVE_INFINITY
  }
  return (clock.nowMs - sinceMs) / MINUTE
}

function prepare() {
  const clock = { nowMs: 0 }
  const storage: { cached: Set<string> | null } = { cached: null }
  const chance = createSecondChance({ cachedWhileAway: () => storage.cached }, () => clock.nowMs)
  return { clock, storage, chance }
}

const start = playing(tracks(12))
const broken: PlayoutState = { ...start, unplayable: [start.playlist.entries[1]!.track.id] }

t.test('T4: skipped tracks are tried again after an hour, and an hour after that', async (t) => {
  const { clock, chance } = prepare()
  t.equal(
    minutesUntilDue(() => chance.due(broken, false), clock),
    60,
  )
  t.equal(
    minutesUntilDue(() => chance.due(broken, false), clock),
    60,
  )
  clock.nowMs += 30 * MINUTE
  t.same([...chance.due(start, false)], [], 'the library has changed meanwhile')
  t.equal(
    minutesUntilDue(() => chance.due(broken, false), clock),
    60,
    'the hour begins when a track is skipped',
  )
})

t.test('T7: and so are tracks that were kept out of lists', async (t) => {
  const { clock, chance } = prepare()
  t.equal(
    minutesUntilDue(() => chance.due(start, true), clock),
    60,
  )
  t.equal(
    minutesUntilDue(() => chance.due(start, false), clock),
    Number.POSITIVE_INFINITY,
  )
})

t.test('T4: at once while there is nothing else, and when files can be had again', async (t) => {
  const { clock, chance } = prepare()
  const nothing: PlayoutState = {
    ...broken,
    onAir: { phase: 'preparing', target: 'day', sinceMs: NOON, notBeforeMs: NOON },
  }
  t.same([...chance.due(nothing, false)], ['tracks'])
  t.same([...chance.due(nothing, false)], ['tracks'], 'every time')
  t.same([...chance.due(broken, false)], [])
  chance.noteFilesBack()
  t.same([...chance.due(broken, false)], ['tracks'])
  t.equal(
    minutesUntilDue(() => chance.due(broken, false), clock),
    60,
  )
})

t.test('tracks skipped while the storage was away come back with it', async (t) => {
  const { storage, chance } = prepare()
  chance.noteLeftOut('clips')
  t.same([...chance.due(broken, false)], [], 'what is broken is no matter of the storage')
  storage.cached = new Set()
  chance.noteLeftOut('tracks')
  chance.noteLeftOut('clips')
  t.same([...chance.due(broken, false)], [])
  storage.cached = null
  t.same([...chance.due(broken, false)].sort(), ['clips', 'tracks'])
  t.same([...chance.due(broken, false)], [])
})

t.test('T4: a track left because of a late decoder is tried again after a minute, once', async (t) => {
  const { clock, chance } = prepare()
  chance.noteLate()
  t.equal(
    minutesUntilDue(() => chance.due(broken, false), clock),
    1,
  )
  t.equal(
    minutesUntilDue(() => chance.due(broken, false), clock),
    60,
  )
})
