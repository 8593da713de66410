import type { Config } from '@solstice/adapters'
import { type LibraryRow, type Mode, type Query, trackEditor, tracks } from '@solstice/contracts'
import { lockOf, type PlayoutState, upcoming } from '@solstice/playout'
import {
  createLibraryPages,
  type DataStore,
  isMode,
  memoizeLast,
  type TrackWithLyrics,
  tracksWithLyrics,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { modeOnAir } from '../../air/mode.ts'
import { implement } from '../../http/implement.ts'
import type { AirMirror } from '../../stream/mirror.ts'
import { type TrackChangeDeps, trackChangeRoutes } from './track-changes.ts'
import { type TrackFileDeps, trackFileRoutes } from './track-files.ts'

export interface TrackDeps extends TrackChangeDeps, TrackFileDeps {
  config: Config
  data: DataStore
  clock: WallClock
  mirror: AirMirror
}

/** Listing, hearing, deleting and moving tracks. */
export function trackRoutes(app: FastifyInstance, deps: TrackDeps): void {
  trackListRoutes(app, deps)
  trackFileRoutes(app, deps)
  trackChangeRoutes(app, deps)
}

function trackListRoutes(app: FastifyInstance, deps: TrackDeps): void {
  const { data } = deps
  const pages = createLibraryPages(data)
  const locksNow = () => locksOf(deps.mirror.at(deps.clock.nowMs()))
  const readPage = (query: PageQuery, limit: number, locks: ReadonlyMap<string, unknown>) => {
    const usual = { q: '', sort: 'artist', order: 'asc' } as const
    return pages.read({ ...usual, ...query, limit }, new Set(locks.keys()))
  }
  implement(app, tracks.pageTracks, async ({ query }) => {
    const limit = Math.min(query.limit, MAX_PAGE)
    const locks = locksNow()
    const { rows, total, facets } = await readPage(query, limit, locks)
    const items = rows.map((row): LibraryRow => ({ ...row, lock: locks.get(row.id) ?? null }))
    return { items, total, offset: query.offset, limit, facets }
  })

  implement(app, tracks.listTrackIds, async ({ query, reply }) => {
    const { rows, total } = await readPage(query, Math.min(query.limit, MAX_BATCH), locksNow())
    // Far quicker than the serialiser of the schema, which looks at each id.
    return reply.type(JSON_TYPE).send(JSON.stringify({ items: rows.map(({ id }) => id), total }))
  })

  implement(app, trackEditor.getTrack, async ({ query: { songId } }) => {
    const lock = locksNow().get(songId) ?? null
    return { ok: true as const, track: { ...(await pages.find(songId)), lock } }
  })

  implement(app, tracks.listTracks, async ({ query, reply }) => {
    const mode = isMode(query.mode) ? query.mode : modeOnAir(deps)
    const all = tracksAsJson(await tracksWithLyrics(data))
    return reply.type(JSON_TYPE).send(all[mode])
  })
}

const JSON_TYPE = 'application/json; charset=utf-8'
const MAX_PAGE = 200
const MAX_BATCH = 20_000

type PageQuery = Query<typeof tracks.pageTracks>

/** Why tracks are locked, by id. */
function locksOf(air: PlayoutState | null): Map<string, 'current' | 'next'> {
  const locks = new Map<string, 'current' | 'next'>()
  if (!air || air.onAir.phase === 'preparing') return locks
  for (const id of [air.onAir.entry?.track.id, upcoming(air, 1)[0]?.track.id]) {
    const lock = id === undefined ? null : lockOf(air, id)
    if (id !== undefined && lock) locks.set(id, lock)
  }
  return locks
}

/** The lists of both modes, serialized once per change of the library or its lyrics. */
const tracksAsJson = memoizeLast((all: readonly TrackWithLyrics[]) => {
  const listOf = (wanted: Mode) =>
    Buffer.from(
      JSON.stringify(
        all
          .filter(({ mode }) => mode === wanted)
          .map(({ id, title, artist, filename, status }) => ({
            id,
            title,
            artist,
            filename,
            lyricsStatus: status,
          })),
      ),
    )
  return { day: listOf('day'), night: listOf('night') }
})
