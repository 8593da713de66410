import { createHash } from 'node:crypto'
import type { Config } from '@solstice/adapters'
import {
  type LibraryRow,
  type Mode,
  messages,
  type Query,
  type TrackResult,
  trackEditor,
  tracks,
  uploads,
} from '@solstice/contracts'
import { lockOf, type PlayoutState, upcoming } from '@solstice/playout'
import {
  type Admin,
  createLibraryPages,
  type DataStore,
  type DeleteQuota,
  Failure,
  isMode,
  type JobQueue,
  type JobResult,
  type MediaStorage,
  memoizeLast,
  readWaveform,
  type TrackOutcome,
  type TrackScope,
  type TrackWithLyrics,
  tracksWithLyrics,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { modeOnAir } from '../../air/mode.ts'
import { actorOf } from '../../auth/callers.ts'
import { sendFile } from '../../files/send-file.ts'
import { implement } from '../../http/implement.ts'
import type { AirMirror } from '../../stream/mirror.ts'
import { attachment } from './attachment.ts'
import { required, requireSome } from './required.ts'

export interface TrackDeps {
  config: Config
  data: DataStore
  media: MediaStorage
  jobs: JobQueue
  clock: WallClock
  mirror: AirMirror
  deleteQuota: DeleteQuota
}

/** Listing, downloading, deleting and moving tracks. Jobs make the changes, so that a disconnect cannot interrupt them. */
export function trackRoutes(app: FastifyInstance, deps: TrackDeps): void {
  const { data, media, jobs } = deps
  const remove = (songIds: string[], scope: TrackScope, caller: Admin) =>
    jobs.perform('delete-tracks', { songIds, scope, actor: actorOf(caller) })
  const move = (songIds: string[], targetMode: Mode, scope: TrackScope, caller: Admin) =>
    jobs.perform('move-tracks', { songIds, targetMode, scope, actor: actorOf(caller) })

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

  implement(app, tracks.listTrackIds, async ({ query }) => {
    const { rows, total } = await readPage(query, Math.min(query.limit, MAX_BATCH), locksNow())
    return { items: rows.map(({ id }) => id), total }
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

  implement(app, trackEditor.getDeleteQuota, async ({ caller }) => ({
    ok: true as const,
    quota: caller.role === 'super_admin' ? null : await deps.deleteQuota.left(caller.adminId),
  }))

  implement(app, trackEditor.downloadTrack, async ({ query, request, reply }) => {
    const track = await data.tracks.get(query.songId)
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    reply.header('content-disposition', attachment(`${track.artist} - ${track.title}.mp3`))
    return sendFile(request, reply, media, track.storageKey, { absent: 'TRACK_NOT_FOUND' })
  })

  implement(app, trackEditor.getPeaks, async ({ query, request, reply }) => {
    const { duration, peaks } = await readWaveform(deps, query.songId)
    const body = { ok: true as const, duration, peaks: peaks && [...peaks] }
    if (!peaks) return reply.code(202).send(body)
    const etag = `"${createHash('sha256').update(peaks).update(`${duration}`).digest('base64url').slice(0, 22)}"`
    // Asked for each time, since another file may come under this id; a token that has ended opens nothing.
    reply.header('cache-control', 'private, no-cache').header('etag', etag)
    // A proxy that compresses marks the tag as weak.
    return request.headers['if-none-match']?.includes(etag) ? reply.code(304).send() : body
  })

  implement(app, trackEditor.deleteTrack, async ({ query, body, caller }) => {
    const songId = required(body?.songId ?? query.songId, 'songId')
    const result = await remove([songId], 'library', caller)
    return {
      ok: true as const,
      removedFromQueue: onlyOutcome(result).removedFromQueue,
      removedCurrent: false as const,
      removedArtists: result.removedArtists,
      message: messages.TRACK_DELETED,
    }
  })

  implement(app, trackEditor.moveTrack, async ({ body, caller }) => {
    const songId = required(body.songId, 'songId')
    const result = await move([songId], body.targetMode, 'library', caller)
    const { track, removedFromQueue } = onlyOutcome(result)
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    return {
      ok: true as const,
      track: { ...track, removedFromQueue, removedCurrent: false as const },
      removedArtists: result.removedArtists,
      message: track.id === songId ? messages.TRACK_UNCHANGED : messages.TRACK_MOVED,
    }
  })

  implement(app, trackEditor.batchDelete, async ({ body, caller }) => {
    const songIds = requireSome(body.songIds, 'songIds')
    if (caller.role !== 'super_admin') await refuseWholeLibrary(data, songIds)
    return batchReply(await remove(songIds, 'library', caller))
  })
  implement(app, trackEditor.batchMove, async ({ body, caller }) =>
    batchReply(await move(requireSome(body.songIds, 'songIds'), body.targetMode, 'library', caller)),
  )
  implement(app, uploads.uploadBatchDelete, async ({ body, caller }) =>
    batchReply(await remove(requireSome(body.songIds, 'songIds'), 'uploads', caller)),
  )
  implement(app, uploads.uploadBatchMove, async ({ body, caller }) =>
    batchReply(await move(requireSome(body.songIds, 'songIds'), body.targetMode, 'uploads', caller)),
  )
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

/** @throws Failure FORBIDDEN when the ids name every track there is. */
async function refuseWholeLibrary(data: DataStore, songIds: string[]): Promise<void> {
  const asked = new Set(songIds)
  const all = await data.tracks.find()
  if (all.length > 0 && all.every(({ id }) => asked.has(id)))
    throw new Failure('FORBIDDEN', { reason: 'whole_library' })
}

/** @throws the refusal of the one track that a batch consisted of. */
function onlyOutcome({ results }: JobResult<'delete-tracks'>): TrackOutcome {
  const [outcome] = results
  if (!outcome?.ok) {
    const code = (outcome?.error ?? 'INTERNAL') as Failure['code']
    throw new Failure(code, outcome?.details)
  }
  return outcome
}

function batchReply({ results, removedArtists }: JobResult<'delete-tracks'>) {
  const onTheWire = ({ removedFromQueue: _, details: __, ...result }: TrackOutcome): TrackResult => result
  return { ok: true as const, results: results.map(onTheWire), removedArtists }
}
