import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { defaultSettings } from '@solstice/station'
import { SUPER_ADMIN } from '../../../tests/harness/people/admin.ts'
import { openSocket } from '../../../tests/harness/people/socket-client.ts'
import { logIn } from '../../../tests/harness/people/uploads.ts'
import type { RedisServer, Teardown } from '../../../tests/harness/processes/processes.ts'
import { prepareStation } from '../../../tests/harness/stations/station.ts'
import { until } from '../../../tests/harness/until.ts'
import { fillStation } from '../pages/panel.ts'
import { ratio } from '../report.ts'
import { usageOf } from '../usage.ts'
import { track } from './library.ts'

const TURNS = 100
/** Before the figures: functions are compiled and caches filled. */
const WARM_UP = 20
/** Within which all that follows an event is done; also keeps a connection within the events that are let through. */
const WINDOW_MS = 100

/** The cost of a change of the air to a whole station: the API that is asked, Redis, and the worker that decides; medians. */
interface EngineFigures {
  /** From asking to the answer, ms. */
  answerMs: number
  /** CPU of the worker and of the API for each, ms. */
  workerMs: number
  apiMs: number
}

interface BenchStation {
  redis: RedisServer
  pids: number[]
  events: Record<string, MeasuredEvent>
}

/** Something asked for. `after`: makes it possible once more, and is not measured. */
interface MeasuredEvent {
  ask(turn: number): Promise<unknown>
  after?(): Promise<unknown>
}

/** Numbers of tracks, half of them of each mode; all are in the playlists. */
const ENGINE_SIZES = [1_000, 10_000, 100_000] as const

/** Rows of cells: stations of several sizes take turns, so that whatever else runs on the machine slows each of them. */
export async function* engineRows(run: Teardown): AsyncGenerator<[name: string, ...cells: string[]]> {
  const stations: BenchStation[] = []
  for (const size of ENGINE_SIZES) stations.push(await openStation(run, size))
  yield ['tracks', ENGINE_SIZES.map((size) => size.toLocaleString('en')).join(' / ')]
  const idle = await measure(stations, () => ({ ask: async () => {} }))
  for (const name of Object.keys(stations[0]!.events)) {
    const figures = await measure(stations, ({ events }) => events[name]!)
    const cells = (of: keyof EngineFigures) => {
      const all = figures.map((one, i) => one[of] - (of === 'answerMs' ? 0 : idle[i]![of]))
      const grown = all.slice(1).map((ms) => ratio(ms, all[0]!))
      return `${all.map((ms) => ms.toFixed(2)).join(' / ')} ms (${grown.join(', ')})`
    }
    yield [
      name,
      `answered in ${cells('answerMs')}`,
      `CPU worker ${cells('workerMs')}`,
      `API ${cells('apiMs')}`,
    ]
  }
  const kilobytes = await Promise.all(stations.map(async ({ redis }) => (await registerBytes(redis)) / 1024))
  yield ['saved register', `${kilobytes.map((kb) => kb.toFixed(1)).join(' / ')} KB`]
  yield ['JSON.stringify of 64 KB', `${stringifyMs().toFixed(2)} ms`]
}

/** The medians of many turns, station by station. */
async function measure(
  stations: readonly BenchStation[],
  eventOf: (station: BenchStation) => MeasuredEvent,
): Promise<EngineFigures[]> {
  const turns = stations.map(() => [] as EngineFigures[])
  for (let turn = 0; turn < WARM_UP + TURNS; turn++)
    for (const [i, station] of stations.entries()) {
      const before = await cpuMs(station)
      const sinceMs = performance.now()
      await eventOf(station).ask(turn)
      const answerMs = performance.now() - sinceMs
      await setTimeout(WINDOW_MS)
      const [workerMs, apiMs] = (await cpuMs(station)).map((ms, at) => ms - before[at]!)
      await eventOf(station).after?.()
      if (turn >= WARM_UP) turns[i]!.push({ answerMs, workerMs: workerMs!, apiMs: apiMs! })
    }
  return turns.map((its) => ({
    answerMs: median(its.map(({ answerMs }) => answerMs)),
    workerMs: median(its.map(({ workerMs }) => workerMs)),
    apiMs: median(its.map(({ apiMs }) => apiMs)),
  }))
}

const cpuMs = async ({ pids }: BenchStation) =>
  (await Promise.all(pids.map(usageOf))).map(({ cpuS }) => cpuS * 1_000)

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!

/** A station that plays its whole library, half of it by day, and an admin and a listener who ask for tracks. */
async function openStation(run: Teardown, size: number): Promise<BenchStation> {
  const { api, worker, redis } = await startStation(run, size)
  const [admin, listener] = [openSocket(run, api.url), openSocket(run, api.url)]
  admin.socket.emit('admin_active', await logIn(api.url, SUPER_ADMIN.ADMIN_LOGIN, SUPER_ADMIN.ADMIN_PASS))
  await admin.first('admin_confirmed')
  listener.socket.emit('listener_init')
  const { uid } = await listener.first<{ uid: string }>('listener_uid')
  await until('its playlist is there', async () => {
    const { total } = (await admin.ask('get_queue', {})) as { total: number }
    return total === size / 2 - 1
  })

  const command = async (...event: [string, unknown]) => {
    admin.forget()
    admin.socket.emit(...event)
    const told = await admin.firstOf<string>(['admin_success', 'admin_error'])
    if (admin.all('admin_error').length > 0) throw new Error(told)
  }
  /** Tracks from all over the library: neighbours in it would be neighbours of their own artist. */
  const song = (turn: number) => track(Math.floor((turn * size) / 260) * 2).id
  const events: BenchStation['events'] = {
    'a song is added': {
      ask: (turn) => command('admin_add_song', { id: song(turn), orderType: 'donated' }),
    },
    'a song is removed': { ask: () => command('admin_remove_song', 30) },
    'a song is suggested': {
      async ask(turn) {
        const answer = await listener.ask('suggest_song', { id: song(turn) })
        if (!(answer as { ok?: boolean }).ok) throw new Error(JSON.stringify(answer))
      },
      async after() {
        listener.forget()
        admin.socket.emit('admin_suggestion_action', { uid, action: 'reject' })
        await listener.first('suggestion_result')
      },
    },
  }
  return { redis, pids: [worker.child.pid!, api.process.child.pid!], events }
}

async function startStation(run: Teardown, size: number) {
  const tones = ['a', 'b'].map((name) => ({ name, hz: 440, seconds: 600, isMono: true }))
  const station = await prepareStation(run, tones, {
    ...{ STREAM_MODE: 'false', SUGGEST_COOLDOWN_S: '0', SUGGEST_EXPIRY_S: '0' },
    ...{ QUEUE_ADD_COOLDOWN_S: '0', QUEUE_REMOVE_COOLDOWN_S: '0' },
    ...SUPER_ADMIN,
  })
  const data = await station.openData()
  const generation = { ...defaultSettings.generation, USE_ALL_DAY_SONGS: true, USE_ALL_NIGHT_SONGS: true }
  await data.settings.put({ section: 'generation', value: generation, revision: 1 })
  await data.close()
  await fillStation(station, size)
  const [api, worker] = await Promise.all([station.startApi(), station.startWorker()])
  return { api, worker, redis: station.redis }
}

/** Size of the saved state without the blocks of its lists. */
async function registerBytes({ port }: RedisServer): Promise<number> {
  const read = ['xrevrange', 'solstice:air', '+', '-', 'COUNT', '1']
  const { stdout } = await promisify(execFile)('redis-cli', ['-p', String(port), '--raw', ...read])
  const [, , head] = stdout.split('\n')
  return Buffer.byteLength(head!)
}

/** Time of the floor: laying down a state of the largest allowed size, ms. */
function stringifyMs(): number {
  const entry = {
    title: 'A Song Of Usual Length',
    artist: 'Some Artist',
    album: 'An Album',
    durationMs: 200_000,
  }
  const state = Array.from({ length: Math.ceil((64 * 1024) / JSON.stringify(entry).length) }, () => ({
    ...entry,
  }))
  const times = Array.from({ length: 50 }, () => {
    const sinceMs = performance.now()
    JSON.stringify(state)
    return performance.now() - sinceMs
  })
  return times.sort((a, b) => a - b)[25]!
}
