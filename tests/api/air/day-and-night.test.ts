import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HistoryItem, Mode, QueueItem, RadioState } from '@solstice/contracts'
import type { PlayoutState, QueueEntry } from '@solstice/playout'
import t, { type Test } from 'tap'
import { type Moment, moveClock } from '../../harness/air/moved-clock.ts'
import { makeTone } from '../../harness/audio/audio.ts'
import { type Ask, asAdmin, command, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket, type SocketClient } from '../../harness/people/socket-client.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { type Air, startAir, startJobs } from '../../harness/stations/workers.ts'

interface Station extends OpenApp {
  ask: Ask
  admin: SocketClient
  listener: SocketClient
  /** The air as reported by the most recently started worker. */
  readonly air: Air
  startWorker(): Promise<void>
  stopWorker(): Promise<void>
  /** Moves the clock forward, and waits until the worker, if any, has noticed. */
  goTo(moment: Moment): Promise<void>
  /** The public history. */
  history(): Promise<HistoryItem[]>
}

/** A station in sync mode whose clock is set to a moment; a worker goes on air on request. */
async function openStation(t: Test, moment: Moment, env: Record<string, string>): Promise<Station> {
  const open = await openApp(t, { ...SUPER_ADMIN, TIME_ZONE: 'Europe/Kyiv', PREPARING_MIN_S: '1', ...env })
  const { app, ports } = open
  const setClock = moveClock(ports.clock, moment)
  let { token, ask } = await asAdmin(open)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const [admin, listener] = [openSocket(t, url), openSocket(t, url)]
  admin.socket.emit('admin_active', token)
  await Promise.all([
    admin.first('suggestions_update'),
    listener.first<boolean>('admin_online', (isOnline) => isOnline),
  ])
  let sessionMs = ports.clock.nowMs()
  /** The session from before would have expired. */
  const logInAgain = async () => {
    ;({ token, ask } = await asAdmin(open))
    sessionMs = ports.clock.nowMs()
    const times = admin.all('admin_confirmed').length
    admin.socket.emit('admin_active', token)
    await admin.first('admin_confirmed', () => admin.all('admin_confirmed').length > times)
  }
  let air: Air | null = null
  const ends: (() => unknown)[] = []
  const stopWorker = async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  t.teardown(stopWorker)
  return {
    ...open,
    ask: (...question) => ask(...question),
    admin,
    listener,
    get air() {
      return air!
    },
    async startWorker() {
      air = await startAir({ teardown: (end) => void ends.push(end) }, ports)
    },
    stopWorker,
    async goTo(moment) {
      setClock(moment)
      if (ports.clock.nowMs() > sessionMs + 6 * 60 * MINUTE) await logInAgain()
      if (ends.length > 0) await ports.bus.send({ type: 'cue-points-changed' })
    },
    history: async () => (await app.inject(`/api/history?artToken=${open.passes().artToken}`)).json(),
  }
}

const MINUTE = 60_000
const dayIds = Array.from({ length: 12 }, (_, i) => `day/lark ${i}.mp3`).sort()
const at = (moment: string) => Date.parse(moment)
const onAir = ({ onAir }: PlayoutState): QueueEntry | null => (onAir.phase === 'track' ? onAir.entry : null)
const startedAtMs = ({ onAir }: PlayoutState) => (onAir.phase === 'track' ? onAir.startedAtMs : null)

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

t.test('lists follow the settings across the day on which an hour repeats', async (t) => {
  const station = await openStation(t, '2026-10-25T02:50:00+03:00', {
    DAY_START_HOUR: '20',
    NIGHT_START_HOUR: '3',
  })
  const { ports, ask, admin, listener, goTo } = station
  const { measurements, waveforms } = ports.data
  for (let i = 0; i < 36; i++) {
    const facts = { artist: ['Ann', 'Bob', 'Bob', 'Bob', 'Cat', 'Cat'][i % 6]!, duration: 600 }
    await station.addTrack(`night/owl ${i}.mp3`, undefined, facts)
    await station.addTrack(`day/lark ${i}.mp3`, undefined, facts)
  }
  const soft = { lufs: -20, peakDb: -6, isMono: false, startMs: 0, endMs: 600_000 }
  for (const trackId of ['day/lark 0.mp3', 'day/lark 1.mp3']) {
    await measurements.put({ trackId, ...soft, ...(await ports.media.stat(trackId))! })
    await waveforms.put({ trackId, peaks: trackId })
  }
  await startJobs(t, ports)
  await station.startWorker()
  const queue = async () =>
    ((await admin.ask('get_queue', { limit: 100 })) as { items: QueueItem[] }).items.map(({ id }) => id)
  /** The song on air and everything after it in its list, by artist. */
  const artists = async () => {
    const facts = await ports.data.tracks.find()
    const ids = [onAir(station.air.state)!.track.id, ...(await queue())]
    return ids.map((id) => facts.find((track) => track.id === id)!.artist[0]!)
  }
  const sections = (of: string[], size: number) =>
    Array.from({ length: of.length / size }, (_, i) =>
      of
        .slice(i * size, (i + 1) * size)
        .sort()
        .join(''),
    )
  const save = (generation: object) => ask('POST /api/admin/settings', { generation })
  const groups = { one: ['Ann'], two: ['Bob'], rest: [] }

  t.test('settings apply from the next list; the night begins at the first of two equal hours', async (t) => {
    const before = await queue()
    t.match(
      await save({
        GROUP_DEFS: groups,
        DAY_ALGORYTM: true,
        SONGS_PER_SECTION: 6,
        MAX_DAY_DURATION: 7200,
        NIGHT_GROUP_DEFS: groups,
        NIGHT_GROUP_SECTIONS_ALGORYTM: true,
        USE_ALL_NIGHT_SONGS: true,
      }),
      { status: 200, body: { algorithmNotice: { en: String } } },
    )
    await station.air.until(({ prepared }) => prepared.night?.entries.length === 18 && !!prepared.day)
    t.same(await queue(), before)
    const songMs = startedAtMs(station.air.state)!
    await goTo(songMs + 10 * MINUTE - 100)
    const night = await station.air.until(({ mode }) => mode === 'night')
    t.match(night, { onAir: { startedAtMs: songMs + 10 * MINUTE }, playlist: { index: 0 } })
    t.ok(startedAtMs(night)! < at('2026-10-25T03:15:00+03:00'))
    t.same(sections(await artists(), 3), Array(6).fill('ABC'), 'G7')
  })

  t.test('a repeated time is taken the first time, and the second once the first has passed', async (t) => {
    const [first, second] = [at('2026-10-25T03:30:00+03:00'), at('2026-10-25T03:30:00+02:00')]
    const schedule = (targetMode: Mode) =>
      ask('POST /api/admin/switch-mode', { targetMode, scheduledTime: '03:30' })
    t.equal((await schedule('day')).status, 200)
    t.match(station.air.state.pendingSwitch, { atMs: first })
    await goTo(first - 100)
    const day = await station.air.until(({ mode, onAir }) => mode === 'day' && onAir.phase === 'track')
    t.match(day, { lastSwitchMs: first, forced: { untilMs: at('2026-10-25T20:00:00+02:00') } })
    const list = await artists()
    t.same(sections(list, 6), ['ABBBCC', 'ABBBCC'], 'G6')
    t.notOk(list.some((artist, i) => artist === list[i + 1]))

    await goTo('2026-10-25T03:20:00+02:00')
    t.match(station.air.state, { mode: 'day', lastSwitchMs: first })
    t.equal((await schedule('night')).status, 200)
    t.match(station.air.state.pendingSwitch, { atMs: second })
    await goTo(second - 100)
    const night = await station.air.until(({ mode, onAir }) => mode === 'night' && onAir.phase === 'track')
    t.match(night, { lastSwitchMs: second, forced: null, pendingSwitch: null })
    t.same(sections(await artists(), 3), Array(6).fill('ABC'))
  })

  t.test(
    'measurements follow a track that moves into the next list, and vanish with a deleted one',
    async (t) => {
      const [from, to, gone] = ['day/lark 0.mp3', 'night/lark 0.mp3', 'day/lark 1.mp3']
      const move = (songId: string, targetMode: Mode) =>
        ask('POST /api/admin/song-editor/move-mode', { songId, targetMode })
      t.match(await move(from, 'night'), { status: 200, body: { track: { id: to } } })
      t.match(await measurements.get(to), { trackId: to, ...soft })
      t.match(await waveforms.get(to), { trackId: to, peaks: from })
      t.match(await ask(`DELETE /api/admin/song-editor?songId=${encodeURIComponent(gone)}`), { status: 200 })
      for (const id of [from, gone])
        t.same([await measurements.get(id), await waveforms.get(id)], [null, null])

      const before = await queue()
      const isOther = {
        NIGHT_ALGORYTM: true,
        NIGHT_GROUP_SECTIONS_ALGORYTM: false,
        NIGHT_SONGS_PER_SECTION: 6,
      }
      t.equal((await save(isOther)).status, 200)
      await station.air.until(({ prepared }) => prepared.night?.entries.length === 37)
      t.same(await queue(), before)
      const endMs = startedAtMs(station.air.state)! + 18 * 10 * MINUTE
      await goTo(endMs)
      const next = await station.air.until(({ playlist }) => playlist.entries.length === 37)
      t.match(next, { mode: 'night', playlist: { index: 0 }, onAir: { startedAtMs: endMs } })
      t.same(sections(await artists(), 6).slice(0, 5), Array(5).fill('ABBBCC'))
      const place = next.playlist.entries.findIndex(({ track }) => track.id === to)
      t.same(next.playlist.entries[place]!.track.cuePoints, { gainDb: 4, startMs: 0, endMs: 600_000 })
      await goTo(endMs + place * 10 * MINUTE)
      t.equal((await listener.first<RadioState>('sync', ({ track }) => track === to)).gainDb, 4)
    },
  )
})

t.test(
  'in stream mode, too, the night follows the last sample of the day, and a switch its silence',
  async (t) => {
    const hourMs = at('2026-11-21T03:00:00+02:00')
    const station = await openStation(t, hourMs - MINUTE, {
      DAY_START_HOUR: '9',
      NIGHT_START_HOUR: '3',
      STREAM_MODE: 'true',
    })
    const { ask, listener } = station
    await Promise.all(
      ['day/lark', 'day/thrush', 'night/owl', 'night/nightjar'].map(async (name) => {
        const path = join(station.folder, `${name}.mp3`)
        await makeTone(path, { hz: 440, seconds: 4 })
        await station.addTrack(`${name}.mp3`, await readFile(path), { duration: 4 })
      }),
    )
    // The worker has these seconds to go on air by day; any of the songs may cross the hour.
    await station.goTo(hourMs - 6_000)
    await station.startWorker()
    interface Start {
      trackId: string
      serverTs: number
    }
    const started = (mode: Mode) =>
      listener.first<Start>('stream_track_start', ({ trackId }) => trackId.startsWith(mode))

    const night = await started('night')
    const lastOfDay = (listener.all('stream_track_start') as Start[]).at(-2)!
    t.match(lastOfDay.trackId, /^day/)
    t.ok(lastOfDay.serverTs < hourMs && night.serverTs >= hourMs)
    const heardMs = night.serverTs - lastOfDay.serverTs
    t.ok(heardMs > 3_900 && heardMs < 4_200, 'to its last sample, and no longer', { heardMs })
    t.match(await listener.first<RadioState>('sync', ({ mode }) => mode === 'night'), {
      track: night.trackId,
      currentIndex: 0,
      isPreparing: false,
    })
    listener.forget()
    t.equal((await ask('POST /api/admin/switch-mode', { targetMode: 'day' })).status, 200)
    t.match(await listener.first<RadioState>('sync', ({ isPreparing }) => isPreparing), {
      mode: 'day',
      track: null,
    })
    const day = await started('day')
    t.ok(day.serverTs >= Math.floor(station.air.state.lastSwitchMs! + 1_000))
    t.match(station.air.state.forced, { mode: 'day', untilMs: at('2026-11-21T09:00:00+02:00') })

    const laterMs = hourMs + 20 * MINUTE
    await station.stopWorker()
    await station.goTo(laterMs)
    listener.forget()
    await station.startWorker()
    const back = await started('day')
    t.ok(back.serverTs >= laterMs, 'after an outage the forced mode is back on air')
    t.match(station.air.state, { playlist: { index: 0 }, forced: { mode: 'day' } })
  },
)
