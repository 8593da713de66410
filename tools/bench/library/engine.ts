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
import { usageOf } from '../usage.ts'
import { track } from './library.ts'

const TURNS = 40
/** Keeps a connection within the events that are let through. */
const PAUSE_MS = 120

/** The cost of a change of the air to a whole station: the API that is asked, Redis, and the worker that decides. */
interface EngineFigures {
  name: string
  /** From asking to the answer, ms. */
  p50Ms: number
  /** CPU of the worker and of the API for each, ms. */
  workerMs: number
  apiMs: number
}

/** Numbers of tracks, half of them of each mode; all are in the playlists. */
const ENGINE_SIZES = [1_000, 100_000] as const

/** Rows of cells: what a small and a large station need, and CPU in the large one beside the floor. */
export async function* engineRows(run: Teardown): AsyncGenerator<[name: string, ...cells: string[]]> {
  const [small, large] = [
    await measureEngine(run, ENGINE_SIZES[0]),
    await measureEngine(run, ENGINE_SIZES[1]),
  ]
  const floorMs = stringifyMs()
  const kilobytes = [small, large].map(({ registerBytes }) => (registerBytes / 1024).toFixed(1))
  yield ['tracks', ENGINE_SIZES.map((size) => size.toLocaleString('en')).join(' / ')]
  yield ['JSON.stringify of 64 KB', `${floorMs.toFixed(2)} ms`]
  yield ['saved register', `${kilobytes.join(' / ')} KB`]
  for (const [i, change] of large.figures.entries()) {
    const both = [small.figures[i]!, change]
    const cells = (of: 'p50Ms' | 'workerMs' | 'apiMs') => both.map((one) => one[of].toFixed(1)).join(' / ')
    const ratios = [change.workerMs, change.apiMs].map((ms) => `${(ms / floorMs).toFixed(1)} ×`)
    yield [
      change.name,
      `answered in ${cells('p50Ms')} ms`,
      `CPU worker ${cells('workerMs')} ms (${ratios[0]})`,
      `API ${cells('apiMs')} ms (${ratios[1]})`,
    ]
  }
}

/** Asks a station that plays its whole library, half of it by day, for tracks. @param size of the library. */
async function measureEngine(
  run: Teardown,
  size: number,
): Promise<{ registerBytes: number; figures: EngineFigures[] }> {
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

  const pids = [worker.child.pid!, api.process.child.pid!]
  const cpu = async () => (await Promise.all(pids.map(usageOf))).map(({ cpuS }) => cpuS * 1_000)
  const turns = async (ask: (turn: number) => unknown) => {
    const before = await cpu()
    const times: number[] = []
    for (let turn = 0; turn < TURNS; turn++) {
      const sinceMs = performance.now()
      await ask(turn)
      times.push(performance.now() - sinceMs)
      await setTimeout(PAUSE_MS)
    }
    const [workerMs, apiMs] = (await cpu()).map((ms, i) => (ms - before[i]!) / TURNS)
    times.sort((a, b) => a - b)
    return { p50Ms: times[TURNS >> 1]!, workerMs: workerMs!, apiMs: apiMs! }
  }
  const command = async (...event: [string, unknown]) => {
    admin.forget()
    admin.socket.emit(...event)
    const told = await admin.firstOf<string>(['admin_success', 'admin_error'])
    if (admin.all('admin_error').length > 0) throw new Error(told)
  }
  const song = (turn: number) => track(Math.floor((turn * size) / 200) * 2).id
  const measures: Record<string, (turn: number) => Promise<unknown>> = {
    'a song is added': (turn) => command('admin_add_song', { id: song(turn), orderType: 'donated' }),
    'a song is removed': () => command('admin_remove_song', 30),
    async 'a song is suggested, and declined'(turn) {
      listener.forget()
      const answer = await listener.ask('suggest_song', { id: song(50 + turn) })
      if (!(answer as { ok?: boolean }).ok) throw new Error(JSON.stringify(answer))
      admin.socket.emit('admin_suggestion_action', { uid, action: 'reject' })
      await listener.first('suggestion_result')
    },
  }
  const idle = await turns(() => {})
  const figures: EngineFigures[] = []
  for (const [name, ask] of Object.entries(measures)) {
    const all = await turns(ask)
    figures.push({ name, ...all, workerMs: all.workerMs - idle.workerMs, apiMs: all.apiMs - idle.apiMs })
  }
  return { registerBytes: await registerBytes(redis), figures }
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
