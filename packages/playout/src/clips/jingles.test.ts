import t from 'tap'
import {
  changesAt,
  clip,
  clipStation,
  clips,
  distances,
  endOfSound,
  heard,
  some,
  toJingle,
} from '../../../../tests/harness/air/clip-station.ts'
import {
  alwaysDay,
  NOON,
  playing,
  stationFact,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import { advance, apply, learn, projectSync, queuePage } from '../index.ts'
import { noClips } from '../model/initial-state.ts'

t.test('J1 jingles are heard in stream mode only, and where the mode has enough of them', async (t) => {
  const everySong = { frequency: 1 }
  t.ok(heard(clipStation(clips({ jingles: everySong })), 9).programme.some((id) => id !== 's'))
  const two = { ...everySong, usable: { day: some(2), night: some(4, 'night') } }
  t.same(new Set(heard(clipStation(clips({ jingles: two })), 9).programme), new Set(['s']))
  const inSync = learn(
    playing(tracks(9)),
    { type: 'clips', clips: clips({ jingles: everySong }) },
    NOON,
  ).state
  t.same(inSync.clips, noClips)
  const { state, atMs } = toJingle(clipStation(clips({ jingles: everySong })))
  const without = learn(state, stationFact(alwaysDay, {}, 'clock'), atMs + 1000).state
  t.equal(without.onAir.phase, 'track', 'a station that has lost its stream goes on at once')
  t.same(without.clips, noClips)
})

t.test('J2 a jingle comes after as many songs as the settings say, skipped ones included', async (t) => {
  for (const frequency of [1, 2, 3, 4, 5]) {
    const { programme } = heard(clipStation(clips({ jingles: { frequency } })), 60)
    t.ok(
      distances(programme).every((songs) => songs === frequency),
      `${frequency}`,
    )
  }
  let state = clipStation(clips({ jingles: { frequency: 3 } }))
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
  const { programme } = heard(clipStation(clips({ jingles: { frequency: 'random' } })), 3000)
  const counts = [1, 2, 3].map((n) => distances(programme).filter((songs) => songs === n).length)
  t.equal(
    counts.reduce((sum, count) => sum + count),
    distances(programme).length,
  )
  for (const count of counts) t.ok(Math.abs(count / distances(programme).length - 1 / 3) < 0.06, `${counts}`)
})

t.test('J2 the count begins anew with the mode, with another rhythm its end', async (t) => {
  const told = clips({ jingles: { frequency: 3 } })
  let { state } = heard(clipStation(told), 2)
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
  const { programme } = heard(clipStation(clips({ jingles: { frequency: 1 } })), 2000)
  const jingles = programme.filter((id) => id !== 's')
  t.notOk(jingles.some((id, i) => id === jingles[i - 1]))
  for (const { id } of some(4))
    t.ok(Math.abs(jingles.filter((other) => other === id).length / jingles.length - 1 / 4) < 0.05, id)
  const only = clips({ jingles: { frequency: 1, required: 1, usable: { day: [clip('one')], night: [] } } })
  t.same(heard(clipStation(only), 4).programme, ['s', 'one', 's', 'one'], 'unless it is the only one')
})

t.test('J3 no jingle comes where the mode changes before it ends', async (t) => {
  const told = clips({ jingles: { frequency: 1 } })
  const song = [track('long', 'a', 600_000)]
  const at = (changeMs: number) => endOfSound(clipStation(told, song, changesAt(NOON + changeMs))).state
  t.match(at(599_000), { mode: 'night', onAir: { phase: 'track' } })
  t.match(at(604_000), { mode: 'day', onAir: { phase: 'track' } }, 'nor while it is heard')
  t.match(at(606_000), { mode: 'day', onAir: { phase: 'jingle' } })
  const pending = (atMs: number) =>
    endOfSound(
      apply(
        learn(clipStation(told, song), stationFact(alwaysDay, {}, 'sound'), NOON).state,
        { type: 'switch-mode', target: 'night', atMs },
        NOON,
      ).state,
    ).state.onAir.phase
  t.equal(pending(NOON + 603_000), 'track')
  t.equal(pending(NOON + 700_000), 'jingle')
})

t.test('J4 a jingle shows the song before it, at the position where that ended', async (t) => {
  const { state, atMs, before } = toJingle(clipStation(clips({}), tracks(30)))
  const shown = projectSync(before, atMs)
  for (const ms of [0, 1000, 4999]) {
    const sync = projectSync(state, atMs + ms)
    t.same({ ...sync, serverTimeMs: 0 }, { ...shown, serverTimeMs: 0 })
    t.equal(sync.seek, sync.duration)
  }
  const early = apply(clipStation(clips({ jingles: { frequency: 1 } })), { type: 'skip' }, NOON + 12_500)
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
      const { state, atMs } = toJingle(clipStation(clips({ jingles: { required: 1, frequency: 1, usable } })))
      t.equal(advance(state, atMs + limitMs - 1).state.onAir.phase, 'jingle')
      const late = advance(state, atMs + limitMs)
      t.match(late.state.onAir, { phase: 'track', startedAtMs: atMs + limitMs })
      t.match(late.effects, [{ type: 'played' }])
    }
    const { state, atMs } = toJingle(
      learn(clipStation(clips({})), stationFact(alwaysDay, {}, 'sound'), NOON).state,
    )
    const switched = apply(state, { type: 'switch-mode', target: 'night', atMs: null }, atMs + 1000)
    t.match(switched.state.onAir, { phase: 'preparing', target: 'night' })
  },
)

t.test('J6 a jingle that cannot be decoded gives way at once, and does not come again', async (t) => {
  const { state, atMs } = toJingle(clipStation(clips({ jingles: { frequency: 1 } })))
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
