import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mode, QueueItem, RadioState } from '@solstice/contracts'
import t from 'tap'
import { makeTone } from '../../harness/audio/audio.ts'
import { startJobs } from '../../harness/stations/workers.ts'
import { at, MINUTE, onAir, openStation, startedAtMs } from './moved-station.ts'

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
