import {
  apply,
  initialState,
  learn,
  type PlayoutState,
  type QueueEntry,
  readState,
  wantedPlaylists,
} from '@solstice/playout'
import t from 'tap'
import { largeStation } from '../../../../../tests/harness/air/large-station.ts'
import {
  alwaysDay,
  assertLegal,
  isSame,
  NOON,
  ordered,
  playing,
  randomFrom,
  track,
  tracks,
} from '../../../../../tests/harness/air/programme.ts'
import { createStateReader, type StateReader } from './reader.ts'
import { createStateWriter } from './writer.ts'

/** Upper bound for a change with the largest library. */
const MAX_BYTES = 64 * 1024

/** A station that saves its states, and what another process makes of them. */
function saving() {
  const blocks = new Map<string, string>()
  let writer = createStateWriter()
  let fetched = 0
  const readWith = (reader: StateReader) => {
    for (;;) {
      const { state, missing } = reader.read(head)
      if (missing.length === 0) return { state, isWhole: true }
      fetched += missing.length
      for (const key of missing) {
        if (!blocks.has(key)) return { state, isWhole: false }
        reader.learn(key, blocks.get(key)!)
      }
    }
  }
  const follower = createStateReader()
  let head = ''
  return {
    blocks,
    /** @returns the bytes that had to be written, and those of them that are published. */
    save(state: PlayoutState) {
      const written = writer.write(state)
      head = written.head
      for (const [key, text] of written.added) blocks.set(key, text)
      for (const key of written.removed) blocks.delete(key)
      const bytes = [head, ...[...written.added].flat()].reduce(
        (sum, text) => sum + Buffer.byteLength(text),
        0,
      )
      return { bytes, published: Buffer.byteLength(head), keys: written.keys }
    },
    follow: () => readWith(follower),
    readAnew: () => readWith(createStateReader()),
    /** Another worker goes on with what was saved. */
    takeOver() {
      const reader = createStateReader()
      const { state } = readWith(reader)
      writer = createStateWriter(reader.known)
      return state
    },
    get fetched() {
      return fetched
    },
  }
}

t.test('what a change costs does not grow with the library', async (t) => {
  const costs = (count: number) => {
    const { save } = saving()
    const state = largeStation(count)
    const whole = save(state)
    const track = state.playlist.entries[5]!.track
    const order = { type: 'add-song', track, mode: 'day', orderType: 'requested', tier: null } as const
    const added = apply(state, order, NOON).state
    const next = learn(
      added,
      { type: 'sound-ended', entryId: (state.onAir as { entry: QueueEntry }).entry.entryId },
      NOON + 1000,
    ).state
    const removed = apply(next, { type: 'remove-entry', position: 3 }, NOON + 2000).state
    const asked = apply(
      removed,
      { type: 'request-track', uid: 'u', socketId: 's', track, mode: 'day' },
      NOON + 3000,
    ).state
    const edited = apply(
      asked,
      { type: 'library-changed', settled: [{ trackId: track.id, track: { ...track, title: 'Another' } }] },
      NOON + 4000,
    ).state
    const kept = { ...edited, prepared: asked.prepared }
    const talk = { ...kept, live: { ...kept.live, requests: [] } }
    const states = { added, next, removed, asked, kept, talk }
    return {
      whole,
      ...Object.fromEntries(Object.entries(states).map(([name, state]) => [name, save(state)])),
    } as Record<keyof typeof states | 'whole', ReturnType<typeof save>>
  }
  const [small, large] = [costs(1_000), costs(100_000)]
  for (const name of ['added', 'next', 'removed', 'asked', 'kept', 'talk'] as const) {
    t.ok(
      large[name].bytes <= MAX_BYTES,
      `${name}: ${large[name].bytes} bytes, ${small[name].bytes} with 1 000 tracks`,
    )
    t.ok(
      large[name].published <= MAX_BYTES / 2,
      `${name}: ${large[name].published} bytes of that are published`,
    )
  }
  const difference = Math.abs(large.talk.bytes - small.talk.bytes)
  t.ok(difference < 200, 'where no list changes the size of the library is not to be seen')
  t.ok(large.whole.bytes / 200_000 < 300, 'the facts of a track are written once, whatever lists it is in')
})

t.test(
  'whoever reads has what was saved, whatever happens to lists, and keeps what did not change',
  async (t) => {
    const saves = saving()
    const random = randomFrom(11)
    const library = tracks(700, 90)
    const made = (serial: number, from = 0): QueueEntry[] =>
      library.slice(from).map((track, i) => ({
        entryId: `e${serial + i}`,
        track,
        orderType: null,
        tier: null,
      }))
    let serial = 10_000
    let state: PlayoutState = { ...largeStation(700), serial }
    const changes: (() => void)[] = [
      () => {
        state = ordered({ ...state, serial: serial++ }, library[random(700)]!, 'requested')
      },
      () => {
        const entries = state.playlist.entries.filter(() => random(40) > 0)
        state = {
          ...state,
          playlist: { ...state.playlist, entries, index: Math.min(state.playlist.index, entries.length - 1) },
        }
      },
      () => {
        const { entries } = state.playlist
        const measured = entries.map((entry) =>
          random(60) > 0 ? entry : { ...entry, track: { ...entry.track, durationMs: random(9) } },
        )
        state = { ...state, playlist: { ...state.playlist, entries: measured } }
      },
      () => {
        const { day, night } = state.prepared
        serial += 1_000
        const entries = made(serial, random(600))
        state = random(2)
          ? { ...state, playlist: { entries, repeats: false, index: 0 }, prepared: night ? { night } : {} }
          : { ...state, prepared: { day: { entries, repeats: true }, ...(day && { night: day }) } }
      },
      () => {
        state = {
          ...state,
          playlist: { ...state.playlist, index: random(state.playlist.entries.length + 1) - 1 },
        }
      },
      () => {
        state = { ...state, backgroundChoice: `f${random(9)}` }
      },
      () => {
        state = apply(state, { type: 'remove-entry', position: 1 + random(300) }, NOON).state
      },
      () => {
        const [from, to] = [1 + random(300), 1 + random(300)]
        const entryId = state.playlist.entries[state.playlist.index + from]?.entryId ?? 'none'
        state = apply(state, { type: 'move-entry', entryId, from, to }, NOON).state
      },
      () => {
        const some = Array.from({ length: random(5) }, () => library[random(700)]!)
        const settled = some.map((track) => ({
          trackId: track.id,
          track: random(3) ? { ...track, year: random(2000) } : null,
        }))
        state = apply(state, { type: 'library-changed', settled }, NOON).state
      },
      () => {
        const some = Array.from({ length: random(600) }, () => library[random(700)]!)
        state = apply(state, { type: 'insert-group', mode: 'day', tracks: some }, NOON).state
      },
    ]
    let before = state
    for (let i = 0; i < 250; i++) {
      before = state
      // Some states are never saved: the next one derives from one that the writer has not seen.
      for (let turns = random(4) ? 1 : 2; turns > 0; turns--) changes[random(changes.length)]!()
      const { keys } = saves.save(state)
      if (saves.blocks.size !== keys.size) t.fail(`${saves.blocks.size} blocks for ${keys.size}`)
      const { state: seen, isWhole } = saves.follow()
      if (!isWhole || !isSame(seen, state)) t.fail(`change ${i} was not understood`, { state, seen })
      if (random(10) === 0) state = saves.takeOver()
    }
    t.same(saves.readAnew().state, state, 'also who comes late')
    saves.save({ ...state, isPaused: true })
    const { fetched } = saves
    const { state: seen } = saves.follow()
    const again = saves.follow().state
    t.equal(saves.fetched, fetched, 'nothing is asked for that is known')
    t.equal(again.playlist.entries, seen.playlist.entries)
    t.not(state, before)
  },
)

t.test('tracks that no list has any more are forgotten in the end', async (t) => {
  const saves = saving()
  let state = largeStation(300)
  for (let year = 0; year < 12; year++) {
    const entries = state.playlist.entries.map((entry) => ({ ...entry, track: { ...entry.track, year } }))
    state = { ...state, playlist: { ...state.playlist, entries }, prepared: {} }
    saves.save(state)
  }
  const size = [...saves.blocks.values()].join('').length
  t.ok(size < 2_000 * 300, `${size} bytes`)
  t.same(saves.readAnew().state, state)
})

t.test(
  'where blocks were lost the head goes on: what is on air, what was asked for, and what comes next',
  async (t) => {
    const saves = saving()
    const played = largeStation(900)
    const wanted = track('paid')
    const far = ordered({ ...played, playlist: { ...played.playlist, index: 800 } }, wanted, 'donated')
    const state = { ...far, playlist: { ...far.playlist, index: played.playlist.index } }
    saves.save(state)
    const [, key] = [...saves.blocks.keys()]
    saves.blocks.delete(key!)
    const { state: left, isWhole } = saves.readAnew()
    t.notOk(isWhole)
    t.same(left.onAir, played.onAir)
    t.same(left.playlist.entries[left.playlist.index], played.playlist.entries[played.playlist.index])
    t.same(left.playlist.entries.slice(1, 21), played.playlist.entries.slice(451, 471))
    t.match(left.playlist.entries.at(-1), { orderType: 'donated', track: wanted })
    t.same(wantedPlaylists(left), ['day'], 'and lists are made anew')
    t.equal(left.serial, state.serial)
    assertLegal(t, left, NOON)

    const preparing = initialState(1, 'clock', alwaysDay, NOON)
    saves.save({ ...preparing, playlist: { ...state.playlist, index: -1 } })
    saves.blocks.clear()
    t.match(saves.readAnew().state.playlist, { index: -1, entries: { length: 22 } })
  },
)

t.test('a state of the version before has its lists in itself', async (t) => {
  const state = playing(tracks(12))
  const reader = createStateReader()
  t.same(reader.read(JSON.stringify(state)), { state, missing: [] })
  t.equal(reader.known, undefined)
  t.same(readState(createStateWriter().write(state).head).onAir, state.onAir, 'and it understands ours')
})
