import { openData } from '@solstice/adapters'
import type { DataStore } from '@solstice/station'
import { pino } from 'pino'
import { type Teardown, temporaryFolder } from '../../../tests/harness/processes/processes.ts'
import { startPostgres } from '../../../tests/harness/servers/postgres.ts'
import { track } from '../../../tests/suites/records.ts'

export const TRACKS = 100_000
/** The entries of 20 000 donations. */
const LEDGER_ENTRIES = 120_000
const TURNS = 9

/** Times of a store with a large library, in ms. */
export interface DataFigures {
  /** Reading it for the first time. */
  load: number
  /** Adding a track, until it is durable. */
  insert: number
  /** Changing a track, until it is durable. */
  update: number
  /** Querying all tracks when nothing has changed. */
  list: number
  /** Querying all tracks of a mode after another process changed one. */
  listAnew: number
  /** Adding an entry to a large ledger, until it is durable. */
  note: number
  /** Finding that entry in another process. */
  noted: number
}

/** The same work on both stores, in turns; medians. */
export async function measureData(t: Teardown): Promise<Record<'json' | 'sql', DataFigures>> {
  const [folder, server] = await Promise.all([temporaryFolder(t), startPostgres(t, true)])
  const log = pino({ level: 'silent' })
  const open = {
    json: () => openData({ dataDir: folder, database: null }, log),
    sql: () => openData({ dataDir: folder, database: { url: server.url, poolMax: 4 } }, log),
  }
  const figures = {} as Record<'json' | 'sql', Record<keyof DataFigures, number[]>>
  const stores = {} as Record<'json' | 'sql', { data: DataStore; other: DataStore }>
  for (const kind of ['json', 'sql'] as const) {
    figures[kind] = { load: [], insert: [], update: [], list: [], listAnew: [], note: [], noted: [] }
    const [data, other] = [await open[kind](), await open[kind]()]
    stores[kind] = { data, other }
    t.teardown(() => Promise.all([data.close(), other.close()]))
    await Promise.all(Array.from({ length: TRACKS }, (_, i) => data.tracks.insert(song(i))))
    await Promise.all(Array.from({ length: LEDGER_ENTRIES }, (_, i) => data.ledger.insert(entry(i))))
    for (const store of [data, other]) await Promise.all([store.tracks.find(), store.ledger.find()])
  }
  for (let turn = 0; turn < TURNS; turn++) {
    for (const kind of ['json', 'sql'] as const) {
      const { data, other } = stores[kind]
      const took = async (what: keyof DataFigures, work: () => Promise<unknown>) => {
        const startMs = performance.now()
        await work()
        figures[kind][what].push(performance.now() - startMs)
      }
      await took('insert', () => data.tracks.insert(song(TRACKS + turn)))
      await took('update', () => data.tracks.update({ id: song(turn).id }, { year: turn }))
      await took('listAnew', () => other.tracks.find({ mode: 'day' }))
      await took('list', () => other.tracks.find())
      const noted = entry(LEDGER_ENTRIES + turn)
      await took('note', () => data.ledger.insert(noted))
      await took('noted', () => other.ledger.find({ onceKey: noted.onceKey }))
      if (turn % 3 !== 0) continue
      let fresh: DataStore | undefined
      await took('load', async () => {
        fresh = await open[kind]()
        await fresh.tracks.find()
      })
      await fresh?.close()
    }
  }
  return { json: medians(figures.json), sql: medians(figures.sql) }
}

function song(i: number) {
  const mode = i % 2 ? 'night' : 'day'
  const about = { title: `Song ${i}`, artist: `Artist ${i % 4000}`, album: `Album ${i % 9000}` }
  return track(`${mode}/${about.artist} - ${about.title}.mp3`, { ...about, mode, year: 2000 })
}

function entry(i: number) {
  const donationId = `3a1c9d5e-7a52-4f0b-9d0e-${String(Math.floor(i / 6)).padStart(12, '0')}`
  const about = { event: 'claimed', atMs: 1_790_000_000_000, note: 'matching_provider_1 2f6c' } as const
  return { donationId, ...about, onceKey: `${i % 6} ${donationId}` }
}

function medians(times: Record<keyof DataFigures, number[]>): DataFigures {
  const of = (what: keyof DataFigures) => times[what].sort((a, b) => a - b)[times[what].length >> 1] ?? 0
  return {
    load: of('load'),
    insert: of('insert'),
    update: of('update'),
    list: of('list'),
    listAnew: of('listAnew'),
    note: of('note'),
    noted: of('noted'),
  }
}
