import type { HistoryItem, Mode, RadioState } from '@solstice/contracts'
import type { PlayoutState, QueueEntry } from '@solstice/playout'
import t, { type Test } from 'tap'
import { type Ask, asAdmin, SUPER_ADMIN } from './harness/admin.ts'
import { type OpenApp, openApp } from './harness/app.ts'
import { type Moment, moveClock } from './harness/moved-clock.ts'
import { openSocket, type SocketClient } from './harness/socket-client.ts'
import { type Air, startAir } from './harness/workers.ts'

interface Station extends OpenApp {
  ask: Ask
  admin: SocketClient
  listener: SocketClient
  /** The air as the last worker that was started tells it. */
  readonly air: Air
  startWorker(): Promise<void>
  stopWorker(): Promise<void>
  /** Sets the clock ahead; the worker, if there is one, has noticed. */
  goTo(moment: Moment): Promise<void>
  /** The history that everybody may see. */
  history(): Promise<HistoryItem[]>
}

/** A station in sync mode whose clock was set to a moment; a worker goes on air when it is told to. */
async function openStation(t: Test, moment: Moment, env: Record<string, string>): Promise<Station> {
  const open = await openApp(t, { ...SUPER_ADMIN, TIME_ZONE: 'Europe/Kyiv', PREPARING_MIN_S: '1', ...env })
  const { app, ports } = open
  const setClock = moveClock(ports.clock, moment)
  const { token, ask } = await asAdmin(open)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const [admin, listener] = [openSocket(t, url), openSocket(t, url)]
  admin.socket.emit('admin_active', token)
  await Promise.all([
    admin.first('suggestions_update'),
    listener.first<boolean>('admin_online', (isOnline) => isOnline),
  ])
  let air: Air | null = null
  const ends: (() => unknown)[] = []
  const stopWorker = async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  t.teardown(stopWorker)
  return {
    ...open,
    ask,
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
      if (ends.length > 0) await ports.bus.send({ type: 'renditions-changed' })
    },
    history: async () => (await app.inject(`/api/history?artToken=${open.passes().artToken}`)).json(),
  }
}

const MINUTE = 60_000
const dayIds = Array.from({ length: 12 }, (_, i) => `day/lark ${i}.mp3`).sort()
const at = (moment: string) => Date.parse(moment)
const onAir = ({ onAir }: PlayoutState): QueueEntry | null => (onAir.phase === 'track' ? onAir.entry : null)
const startedAtMs = ({ onAir }: PlayoutState) => (onAir.phase === 'track' ? onAir.startedAtMs : null)

t.test('day and night over the day on which an hour is left out', async (t) => {
  const station = await openStation(t, '2026-03-29T02:51:00+02:00', {
    DAY_START_HOUR: '3',
    NIGHT_START_HOUR: '22',
    QUEUE_ADD_COOLDOWN_S: '0',
    QUEUE_SKIP_COOLDOWN_S: '0',
    SUGGEST_COOLDOWN_S: '36000',
    SUGGEST_EXPIRY_S: '36000',
  })
  const { ask, admin, listener, goTo } = station
  // Nobody knows how long the songs of the night are: they are left after ten minutes.
  for (let i = 0; i < 12; i++) {
    await station.addTrack(`night/owl ${i}.mp3`, null, { duration: null })
    await station.addTrack(`day/lark ${i}.mp3`, null, { duration: 300 })
  }
  await station.startWorker()
  for (const id of ['night/paid.mp3', 'day/paid.mp3', 'night/wish.mp3'])
    await station.addTrack(id, null, { duration: 2 })
  const sync = (isSo: (state: RadioState) => boolean) => listener.first<RadioState>('sync', isSo)
  const add = async (id: string) => {
    admin.forget()
    admin.socket.emit('admin_add_song', { id, orderType: 'donated' })
    const answers = ['admin_success', 'admin_error'].map((name) => admin.first<string>(name))
    return JSON.parse(await Promise.race(answers)) as object
  }
  const switchTo = (targetMode: Mode, scheduledTime?: string) =>
    ask('POST /api/admin/switch-mode', { targetMode, scheduledTime })
  const refused = (reason: string) => ({
    status: 409,
    body: { donated: reason === 'donated', error: { code: 'MODE_SWITCH_REFUSED', reason } },
  })

  t.test(
    'a song is heard to its end, then what was paid for, then the other mode from its beginning',
    async (t) => {
      const song = onAir(station.air.state)!.track
      const songMs = startedAtMs(station.air.state)!
      listener.socket.emit('listener_init')
      t.match(await listener.first('listener_uid'), { cooldownSecsLeft: 0 })
      t.same(await listener.ask('suggest_song', { id: 'night/wish.mp3' }), { ok: true })
      await admin.first<object[]>('suggestions_update', (list) => list.length === 1)
      t.match(await add('night/paid.mp3'), { code: 'QUEUE_SONG_ADDED' })
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
      t.match(station.air.state, { mode: 'night', list: { index: 0 } }, 'the hour cuts nothing off')
      listener.forget()
      admin.forget()

      await goTo(songMs + 10 * MINUTE - 300)
      const paid = await station.air.until((state) => onAir(state)?.track.id === 'night/paid.mp3')
      t.match(paid, { mode: 'night', onAir: { startedAtMs: songMs + 10 * MINUTE } })
      const day = await station.air.until(({ mode }) => mode === 'day')
      t.match(day, {
        onAir: { phase: 'track', startedAtMs: songMs + 10 * MINUTE + 2000 },
        list: { index: 0 },
        forced: null,
        suggestions: [],
        suggestCooldowns: [],
      })
      t.same(day.list.entries.map(({ track }) => track.id).sort(), dayIds)
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
    },
  )

  t.test('a time that does not exist is taken an hour on; a switch runs once, at its moment', async (t) => {
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
    t.match(night, { list: { index: 0 }, forced: { mode: 'night', untilMs } })
    t.ok(
      night.list.entries.some(({ track }) => track.id === 'night/wish.mp3'),
      'the library was read anew',
    )
    t.match(await sync(({ track }) => track !== null), { mode: 'night', currentIndex: 0, isPreparing: false })

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

  t.test('a forced mode outlives an outage; what would have been heard meanwhile was not', async (t) => {
    await station.stopWorker()
    const before = await station.history()
    await goTo('2026-03-29T05:30:00+03:00')
    await station.startWorker()
    const begun = await station.air.until(
      (state) => (startedAtMs(state) ?? 0) >= at('2026-03-29T05:30:00+03:00'),
    )
    t.match(begun, { mode: 'night', list: { index: 0 }, forced: { mode: 'night' } })
    const missed = (await station.history()).filter(({ playedAt }) => playedAt > before.at(-1)!.playedAt)
    t.ok(
      missed.every(({ playedAt }) => playedAt < at('2026-03-29T04:36:00+03:00')),
      { missed },
    )
  })
})
