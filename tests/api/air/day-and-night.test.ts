import type { Mode, RadioState } from '@solstice/contracts'
import type { PlayoutState } from '@solstice/playout'
import t, { type Test } from 'tap'
import { command } from '../../harness/people/admin.ts'
import { at, MINUTE, onAir, openStation, startedAtMs } from './moved-station.ts'

const dayIds = Array.from({ length: 12 }, (_, i) => `day/lark ${i}.mp3`).sort()

t.test('day and night across the day on which an hour is skipped', async (t) => {
  const station = await openStation(t, '2026-03-29T02:51:00+02:00', {
    DAY_START_HOUR: '3',
    NIGHT_START_HOUR: '22',
    QUEUE_ADD_COOLDOWN_S: '0',
    QUEUE_SKIP_COOLDOWN_S: '0',
    SUGGEST_COOLDOWN_S: '36000',
    SUGGEST_EXPIRY_S: '36000',
  })
  const { ask, admin, listener, goTo } = station
  // The lengths of the night's songs are unknown: each is left after ten minutes.
  for (let i = 0; i < 12; i++) {
    await station.addTrack(`night/owl ${i}.mp3`, null, { duration: null })
    await station.addTrack(`day/lark ${i}.mp3`, null, { duration: 300 })
  }
  await station.startWorker()
  await station.addTrack('night/wish.mp3', null, { duration: 1 })
  const sync = (isSo: (state: RadioState) => boolean) => listener.first<RadioState>('sync', isSo)
  const add = (id: string) => command(admin, 'admin_add_song', { id, orderType: 'donated' })
  /** Queues a one-second song that no list has; each of them once, so that none follows itself. */
  const pay = async (t: Test, id: string) => {
    await station.addTrack(id, null, { duration: 1 })
    t.match(await add(id), { code: 'QUEUE_SONG_ADDED' })
    await station.ports.data.tracks.delete({ id })
  }
  const switchTo = (targetMode: Mode, scheduledTime?: string) =>
    ask('POST /api/admin/switch-mode', { targetMode, scheduledTime })
  /** Resolves when a song that began after a moment, and is left after ten minutes, is on air; returns when it will be left. */
  const longSong = async (sinceMs: number) => {
    const isLong = (state: PlayoutState) => onAir(state)?.track.durationMs === null
    const state = await station.air.until((state) => isLong(state) && startedAtMs(state)! >= sinceMs)
    return startedAtMs(state)! + 10 * MINUTE
  }
  const refused = (reason: string) => ({
    status: 409,
    body: { donated: reason === 'donated', error: { code: 'MODE_SWITCH_REFUSED', reason } },
  })

  t.test('a song plays to its end, then paid songs, then the other mode from its beginning', async (t) => {
    const song = onAir(station.air.state)!.track
    const songMs = startedAtMs(station.air.state)!
    listener.socket.emit('listener_init')
    t.match(await listener.first('listener_uid'), { cooldownSecsLeft: 0 })
    t.same(await listener.ask('suggest_song', { id: 'night/wish.mp3' }), { ok: true })
    await admin.first<object[]>('suggestions_update', (list) => list.length === 1)
    await pay(t, 'night/paid.mp3')
    t.match(await sync(({ playlist }) => playlist[0]?.id === 'night/paid.mp3'), {
      mode: 'night',
      track: song.id,
      duration: 0,
      dayStartHour: 3,
      nightStartHour: 22,
      pendingModeSwitch: null,
      totalTracks: 13,
    })

    await goTo('2026-03-29T04:00:01+03:00')
    t.match(await add('night/wish.mp3'), { code: 'QUEUE_ADD_FAILED', reason: 'no_time', en: /in 0 min/ })
    t.match(await listener.ask('suggest_song', { id: 'night/wish.mp3' }), { error: 'cooldown' })
    t.match(station.air.state, { mode: 'night', playlist: { index: 0 } }, 'the hour cuts nothing off')
    listener.forget()
    admin.forget()

    await goTo(songMs + 10 * MINUTE - 300)
    const paid = await station.air.until((state) => onAir(state)?.track.id === 'night/paid.mp3')
    t.match(paid, { mode: 'night', onAir: { startedAtMs: songMs + 10 * MINUTE } })
    const day = await station.air.until(({ mode }) => mode === 'day')
    t.match(day, {
      onAir: { phase: 'track', startedAtMs: songMs + 10 * MINUTE + 1000 },
      playlist: { index: 0 },
      forced: null,
      trackRequests: [],
      trackRequestCooldowns: [],
    })
    t.same(day.playlist.entries.map(({ track }) => track.id).sort(), dayIds)
    t.match(await sync(({ mode }) => mode === 'day'), {
      track: onAir(day)!.track.id,
      currentIndex: 0,
      totalTracks: 12,
      isPreparing: false,
    })
    t.notOk(listener.all('sync').some((state) => (state as RadioState).isPreparing))
    t.same(await admin.first('suggestions_update'), [])
    t.same(listener.all('suggestion_result'), [], 'without a result')
    listener.socket.emit('listener_init')
    t.match(await listener.first('listener_uid'), { cooldownSecsLeft: 0 })
    t.match(
      (await station.history()).map(({ trackId, mode }) => [trackId, mode]),
      [
        [song.id, 'night'],
        ['night/paid.mp3', 'night'],
      ],
    )
  })

  t.test('a nonexistent time is taken an hour later; a switch runs once, at its moment', async (t) => {
    const atMs = at('2026-03-29T04:30:00+03:00')
    listener.forget()
    t.equal((await switchTo('night', '05:00')).status, 200)
    t.match(await sync(({ pendingModeSwitch }) => pendingModeSwitch !== null), {
      pendingModeSwitch: { targetMode: 'night', executeAtMs: at('2026-03-29T05:00:00+03:00') },
    })
    t.equal((await switchTo('night', '03:30')).status, 200)
    await sync(({ pendingModeSwitch }) => pendingModeSwitch?.executeAtMs === atMs)
    await goTo(atMs - 200)
    listener.forget()
    const preparing = await station.air.until(({ onAir }) => onAir.phase === 'preparing')
    t.match(preparing, {
      mode: 'night',
      lastSwitchMs: atMs,
      pendingSwitch: null,
      onAir: { target: 'night', sinceMs: atMs, notBeforeMs: atMs + 1000 },
    })
    t.match(await sync(({ isPreparing }) => isPreparing), {
      track: null,
      title: '',
      mode: 'night',
      playlist: [],
      isPlaying: false,
      pendingModeSwitch: null,
    })
    const night = await station.air.until(({ onAir }) => onAir.phase === 'track')
    t.ok(startedAtMs(night)! >= atMs + 1000)
    const untilMs = at('2026-03-29T22:00:00+03:00')
    t.match(night, { playlist: { index: 0 }, forced: { mode: 'night', untilMs } })
    t.ok(
      night.playlist.entries.some(({ track }) => track.id === 'night/wish.mp3'),
      'the library was read anew',
    )
    t.match(await sync(({ mode, track }) => mode === 'night' && track !== null), {
      currentIndex: 0,
      isPreparing: false,
    })

    await goTo(atMs + 5 * MINUTE)
    t.match(await switchTo('night'), refused('already'))
    const early = await switchTo('day', '23:00')
    t.match(early, refused('cooldown'))
    t.ok(early.body.error.secsLeft <= 1500)
    await station.stopWorker()
    await station.startWorker()
    const again = await switchTo('day')
    t.match(again, refused('cooldown'), 'another worker knows of it')
    t.ok(again.body.error.secsLeft <= early.body.error.secsLeft && again.body.error.secsLeft > 1000)
    t.match(station.air.state, { mode: 'night', lastSwitchMs: atMs, forced: { mode: 'night', untilMs } })
  })

  t.test('a forced mode survives an outage; songs of the outage are not in the history', async (t) => {
    await station.stopWorker()
    const before = await station.history()
    await goTo('2026-03-29T05:30:00+03:00')
    await station.startWorker()
    const begun = await station.air.until(
      (state) => (startedAtMs(state) ?? 0) >= at('2026-03-29T05:30:00+03:00'),
    )
    t.match(begun, { mode: 'night', playlist: { index: 0 }, forced: { mode: 'night' } })
    const missed = (await station.history()).filter(({ playedAt }) => playedAt > before.at(-1)!.playedAt)
    t.ok(
      missed.every(({ playedAt }) => playedAt < at('2026-03-29T04:36:00+03:00')),
      { missed },
    )
  })

  t.test('a switch that waits for paid songs lapses when the schedule changes', async (t) => {
    await goTo('2026-03-29T21:54:00+03:00')
    await longSong(at('2026-03-29T21:54:00+03:00'))
    t.equal((await switchTo('day', '21:58')).status, 200)
    await pay(t, 'night/paid too.mp3')
    await goTo('2026-03-29T21:58:00.100+03:00')
    t.match(await sync(({ pendingModeSwitch }) => pendingModeSwitch?.executeAtMs === null), {
      mode: 'night',
      pendingModeSwitch: { targetMode: 'day' },
    })
    t.match(await switchTo('day'), refused('donated'))
    t.match(await add('night/wish.mp3'), { code: 'QUEUE_ADD_FAILED', reason: 'no_time' })
    t.match(station.air.state.forced, { mode: 'night' })
    listener.forget()
    await goTo('2026-03-29T22:00:00.100+03:00')
    await sync(({ pendingModeSwitch }) => pendingModeSwitch === null)
    t.match(
      station.air.state,
      { mode: 'night', pendingSwitch: null, forced: null },
      'the night is natural now',
    )
    admin.socket.emit('admin_skip_song')
    const paid = await station.air.until((state) => onAir(state)?.orderType === 'donated')
    t.equal(paid.mode, 'night')
  })

  t.test('a switch that waits for paid songs runs right after them', async (t) => {
    await goTo('2026-03-30T02:00:00+03:00')
    const endMs = await longSong(at('2026-03-30T02:00:00+03:00'))
    t.equal((await switchTo('day', '02:10')).status, 200)
    await pay(t, 'night/paid at last.mp3')
    await goTo(endMs - 200)
    const preparing = await station.air.until(({ onAir }) => onAir.phase === 'preparing')
    t.match(preparing, { mode: 'day', lastSwitchMs: endMs + 1000, pendingSwitch: null })
    t.match(preparing.forced, { mode: 'day', untilMs: at('2026-03-30T03:00:00+03:00') })
    await station.air.until(({ onAir }) => onAir.phase === 'track')
    t.match((await station.history()).at(-1), { trackId: 'night/paid at last.mp3', mode: 'night' })
  })

  t.test('a switch that fell due while nobody was on air is carried out late', async (t) => {
    await goTo('2026-03-30T12:00:00+03:00')
    t.equal((await switchTo('night', '12:10')).status, 200)
    await station.stopWorker()
    await goTo('2026-03-30T12:25:00+03:00')
    await station.startWorker()
    const night = await station.air.until(({ mode, onAir }) => mode === 'night' && onAir.phase === 'track')
    t.match(night, {
      lastSwitchMs: at('2026-03-30T12:10:00+03:00'),
      pendingSwitch: null,
      playlist: { index: 0 },
    })
    t.match(night.forced, { mode: 'night', untilMs: at('2026-03-30T22:00:00+03:00') })
    t.match(await switchTo('day'), refused('cooldown'), 'from its moment on')
  })

  t.test('a wall clock set forward by an hour moves only the day and night schedule', async (t) => {
    await station.stopWorker()
    await goTo('2026-03-30T12:45:00+03:00')
    station.ports.clock.aheadMs = () => -60 * MINUTE
    await station.startWorker()
    const nightMs = at('2026-03-30T21:00:00+03:00')
    const { forced } = await station.air.until(({ schedule }) => schedule.changes[0]?.atMs === nightMs)
    t.match(forced, { mode: 'night', untilMs: nightMs })
    t.equal((await switchTo('day', '14:00')).status, 200)
    t.match(station.air.state.pendingSwitch, { atMs: at('2026-03-30T13:00:00+03:00') })
  })
})
