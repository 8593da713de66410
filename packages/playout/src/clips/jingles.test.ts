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

const everySong = clips({ jingles: { frequency: 1 } })

t.test('J1 jingles are heard where the mode has enough of them', async (t) => {
  t.ok(heard(clipStation(everySong), 9).programme.some((id) => id !== 's'))
  const two = clips({ jingles: { frequency: 1, usable: { day: some(2), night: some(4, 'night') } } })
  t.same(new Set(heard(clipStation(two), 9).programme), new Set(['s']))
})

t.test('J1 there are none in sync mode', async (t) => {
  const inSync = learn(playing(tracks(9)), { type: 'clips', clips: everySong }, NOON).state
  t.same(inSync.clips, noClips)
  const { state, atMs } = toJingle(clipStation(everySong))
  const without = learn(state, stationFact(alwaysDay, {}, 'clock'), atMs + 1000).state
  t.equal(without.onAir.phase, 'track', 'a station that has lost its stream goes on at once')
  t.same(without.clips, noClips)
})

t.test('J2b a jingle comes after as many songs as the settings say', async (t) => {
  for (const frequency of [1, 2, 3, 4, 5]) {
    const { programme } = heard(clipStation(clips({ jingles: { frequency } })), 60)
    t.ok(
      distances(programme).every((songs) => songs === frequency),
      `${frequency}`,
    )
  }
})

t.test('J2a skipped songs are counted, undecodable ones are not', async (t) => {
  let state = clipStation(clips({ jingles: { frequency: 3 } }))
  for (const seconds of [1, 2]) state = apply(state, { type: 'skip' }, NOON + seconds * 1000).state
  t.equal(state.onAir.phase, 'track')
  t.equal(apply(state, { type: 'skip' }, NOON + 3000).state.onAir.phase, 'jingle')
  const { onAir } = state
  if (onAir.phase !== 'track') throw new Error()
  const broken = learn(state, { type: 'unplayable', entryId: onAir.entry.entryId }, NOON + 3000).state
  t.same(broken.jingleCount, state.jingleCount)
  t.equal(broken.onAir.phase, 'track')
})

t.test('J2b at random one to three songs lie between two jingles, each as often', async (t) => {
  const { programme } = heard(clipStation(clips({ jingles: { frequency: 'random' } })), 3000)
  const counts = [1, 2, 3].map((n) => distances(programme).filter((songs) => songs === n).length)
  t.equal(
    counts.reduce((sum, count) => sum + count),
    distances(programme).length,
  )
  for (const count of counts) t.ok(Math.abs(count / distances(programme).length - 1 / 3) < 0.06, `${counts}`)
})

t.test('J2 another rhythm changes the end of the count, not what was counted', async (t) => {
  const { state } = heard(clipStation(clips({ jingles: { frequency: 3 } })), 2)
  t.equal(state.jingleCount.songs, 2)
  const slower = learn(state, { type: 'clips', clips: clips({ jingles: { frequency: 5 } }) }, NOON).state
  t.same(distances(heard(slower, 12).programme)[0], 3, 'five songs in all')
})

t.test('J2c the count begins anew with the mode, and while there are no jingles', async (t) => {
  const { state } = heard(clipStation(clips({ jingles: { frequency: 3 } })), 2)
  const off = learn(state, { type: 'clips', clips: noClips }, NOON).state
  t.equal(endOfSound(off).state.jingleCount.songs, 0)
  const scheduled = learn(state, stationFact(alwaysDay, {}, 'sound'), NOON).state
  const night = apply(scheduled, { type: 'switch-mode', target: 'night', atMs: null }, NOON + 9e6).state
  t.equal(night.mode, 'night')
  t.equal(night.jingleCount.songs, 0)
})

t.test('J3a each is as likely, but none comes twice in a row', async (t) => {
  const { programme } = heard(clipStation(everySong), 2000)
  const jingles = programme.filter((id) => id !== 's')
  t.notOk(jingles.some((id, i) => id === jingles[i - 1]))
  for (const { id } of some(4))
    t.ok(Math.abs(jingles.filter((other) => other === id).length / jingles.length - 1 / 4) < 0.05, id)
})

t.test('J3a the only one comes again and again', async (t) => {
  const only = clips({ jingles: { frequency: 1, required: 1, usable: { day: [clip('one')], night: [] } } })
  t.same(heard(clipStation(only), 4).programme, ['s', 'one', 's', 'one'])
})

const longSong = [track('long', 'a', 600_000)]

t.test('J3b no jingle comes where the schedule changes the mode before it ends', async (t) => {
  const at = (changeMs: number) =>
    endOfSound(clipStation(everySong, longSong, changesAt(NOON + changeMs))).state
  t.match(at(599_000), { mode: 'night', onAir: { phase: 'track' } })
  t.match(at(604_000), { mode: 'day', onAir: { phase: 'track' } }, 'nor while it is heard')
  t.match(at(606_000), { mode: 'day', onAir: { phase: 'jingle' } })
})

t.test('J3b nor where a pending switch does', async (t) => {
  const start = learn(clipStation(everySong, longSong), stationFact(alwaysDay, {}, 'sound'), NOON).state
  const pending = (atMs: number) =>
    endOfSound(apply(start, { type: 'switch-mode', target: 'night', atMs }, NOON).state).state.onAir.phase
  t.equal(pending(NOON + 603_000), 'track')
  t.equal(pending(NOON + 700_000), 'jingle')
})

t.test('J4a a jingle shows the song before it, at the position where that ended', async (t) => {
  const { state, atMs, before } = toJingle(clipStation(clips({}), tracks(30)))
  const shown = projectSync(before, atMs)
  for (const ms of [0, 1000, 4999]) {
    const sync = projectSync(state, atMs + ms)
    t.same({ ...sync, serverTimeMs: 0 }, { ...shown, serverTimeMs: 0 })
    t.equal(sync.seek, sync.duration)
  }
  const early = apply(clipStation(everySong), { type: 'skip' }, NOON + 12_500)
  t.equal(projectSync(early.state, NOON + 14_000).seek, 12.5, 'also of one that was skipped')
})

t.test('J4c, J4d a jingle cannot be skipped, and history knows none', async (t) => {
  const early = apply(clipStation(everySong), { type: 'skip' }, NOON + 12_500)
  t.same(early.effects, [])
  t.match(apply(early.state, { type: 'skip' }, NOON + 14_000), {
    state: early.state,
    outcome: { ok: false, code: 'JINGLE_IN_PROGRESS' },
  })
})

t.test('J4b what is queued during a jingle comes behind it', async (t) => {
  const { state, atMs } = toJingle(clipStation(clips({}), tracks(30)))
  const next = queuePage(state, 0, 1).items[0]!
  const order = { ...track('ordered'), id: 'day/ordered.mp3' }
  const added = apply(
    state,
    { type: 'add-song', track: order, mode: 'day', orderType: 'requested', tier: null },
    atMs,
  )
  t.same(added.outcome, { ok: true })
  const after = endOfSound(added.state).state
  t.equal(projectSync(after, atMs + 5000).track, order.id)
  t.equal(queuePage(after, 0, 1).items[0]!.id, next.id)
  const locked = apply(state, { type: 'release-track', trackId: next.id, purpose: 'remove' }, atMs)
  t.match(locked.outcome, { code: 'TRACK_LOCKED', details: { reason: 'next' } })
})

t.test('J5a the clock ends a jingle 15 s after its length, or after 45 s without one', async (t) => {
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
})

t.test('J5b a mode switch ends a jingle', async (t) => {
  const start = learn(clipStation(clips({})), stationFact(alwaysDay, {}, 'sound'), NOON).state
  const { state, atMs } = toJingle(start)
  const switched = apply(state, { type: 'switch-mode', target: 'night', atMs: null }, atMs + 1000)
  t.match(switched.state.onAir, { phase: 'preparing', target: 'night' })
})

function jingleOnAir() {
  const { state, atMs } = toJingle(clipStation(everySong))
  if (state.onAir.phase !== 'jingle') throw new Error()
  const { entryId, clip } = state.onAir.jingle
  const learned = learn(state, { type: 'clip-unplayable', clipId: clip.id }, atMs + 100)
  return { state, atMs, entryId, clipId: clip.id, learned }
}

t.test('J6 a jingle that cannot be decoded gives way at once, and does not come again', async (t) => {
  const { atMs, clipId, learned } = jingleOnAir()
  t.match(learned.state.onAir, { phase: 'track', startedAtMs: atMs + 100 })
  const { programme, state: later } = heard(learned.state, 50)
  t.notOk(programme.includes(clipId))
  t.equal(new Set(programme).size, 4)
  const again = learn(later, { type: 'clips', clips: everySong }, atMs).state
  t.ok(heard(again, 60).programme.includes(clipId), 'until the station tells its clips anew')
})

t.test('T6e, T6f a blank jingle has ended, or is as good as undecodable', async (t) => {
  const { state, atMs, entryId, learned } = jingleOnAir()
  const blank = (wasHeard: boolean) => learn(state, { type: 'blank', entryId, wasHeard }, atMs + 100)
  t.same(blank(false), learned)
  t.same(blank(true), learn(state, { type: 'sound-ended', entryId }, atMs + 100))
})
