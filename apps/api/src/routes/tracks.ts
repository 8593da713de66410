import type { Config } from '@solstice/adapters'
import { type Mode, messages, type Track, type TrackResult, tracks, uploads } from '@solstice/contracts'
import {
  type Admin,
  type DataStore,
  type EditableTags,
  Failure,
  holds,
  isMode,
  type JobData,
  type JobQueue,
  type JobResult,
  type MediaStorage,
  memoizeLast,
  oneLine,
  readLyrics,
  readYear,
  rememberedLyrics,
  type TrackOutcome,
  type TrackScope,
  type TrackWithLyrics,
  tracksWithLyrics,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { modeOnAir } from '../air/mode.ts'
import { sendFile } from '../files/send-file.ts'
import { implement } from '../http/implement.ts'
import type { AirMirror } from '../stream/mirror.ts'

interface TrackDeps {
  config: Config
  data: DataStore
  media: MediaStorage
  jobs: JobQueue
  clock: WallClock
  mirror: AirMirror
}

/** Whatever changes existing tracks is done by a job while the request waits, so that nobody who hangs up breaks it off. */
export function trackRoutes(app: FastifyInstance, deps: TrackDeps): void {
  const { data, media, jobs } = deps

  implement(app, tracks.listSongs, async ({ query, reply }) => {
    const mode = isMode(query.mode) ? query.mode : modeOnAir(deps)
    const all = songsAsJson(await tracksWithLyrics(data))
    return reply.type('application/json; charset=utf-8').send(all[mode])
  })

  implement(app, tracks.downloadSong, async ({ query, request, reply }) => {
    const track = await data.tracks.get(query.songId)
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    reply.header('content-disposition', attachment(`${track.artist} - ${track.title}.mp3`))
    return sendFile(request, reply, media, track.storageKey, { absent: 'TRACK_NOT_FOUND' })
  })

  implement(app, tracks.saveSong, async ({ body, caller }) => {
    const { metadataChanged, lyricsChanged, offsetChanged, lyricsEntry, offset, auditContext } = body
    const mayEditMeta = holds(caller, 'editor_meta')
    const mayEditLyrics = mayEditMeta || holds(caller, 'editor_lyrics')
    if (metadataChanged && !mayEditMeta) throw new Failure('FORBIDDEN')
    if ((lyricsChanged || offsetChanged) && !mayEditLyrics) throw new Failure('FORBIDDEN')

    const songId = required(body.songId, 'songId')
    const metadata = required(body.metadata, 'metadata')
    const lyrics = lyricsChanged ? readLyrics(required(lyricsEntry, 'lyricsEntry')) : null
    const shift = offsetChanged ? required(offset, 'offset') : undefined
    const before = metadataChanged ? await findTrack(songId) : null
    const edited = await jobs.perform('edit-track', {
      songId,
      ...(before && { tags: tagsOf(metadata, before) }),
      ...(lyrics && { lyrics }),
      ...(shift !== undefined && { offset: shift }),
      ...(auditContext && { info: contextOf(auditContext) }),
      actor: actorOf(caller),
    })
    const track = await findTrack(edited.songId)
    return {
      ok: true as const,
      track,
      ...(await contentOf(track)),
      message: edited.isChanged ? messages.TRACK_SAVED : messages.TRACK_UNCHANGED,
    }
  })

  implement(app, tracks.deleteSong, async ({ query, body, caller }) => {
    const songId = required(body?.songId ?? query.songId, 'songId')
    const answer = await remove([songId], 'library', caller)
    const { removedFromQueue } = onlyOne(answer)
    return {
      ok: true as const,
      removedFromQueue,
      removedCurrent: false as const,
      removedArtists: answer.removedArtists,
      message: messages.TRACK_DELETED,
    }
  })

  implement(app, tracks.moveSong, async ({ body, caller }) => {
    const songId = required(body.songId, 'songId')
    const answer = await move([songId], body.targetMode, 'library', caller)
    const { track, removedFromQueue } = onlyOne(answer)
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    return {
      ok: true as const,
      track: { ...track, removedFromQueue, removedCurrent: false as const },
      removedArtists: answer.removedArtists,
      message: track.id === songId ? messages.TRACK_UNCHANGED : messages.TRACK_MOVED,
    }
  })

  implement(app, tracks.batchDelete, async ({ body, caller }) => {
    const songIds = requireSome(body.songIds)
    if (caller.role !== 'super_admin') await refuseWholeLibrary(songIds)
    return batchAnswer(await remove(songIds, 'library', caller))
  })
  implement(app, tracks.batchMove, async ({ body, caller }) =>
    batchAnswer(await move(requireSome(body.songIds), body.targetMode, 'library', caller)),
  )
  implement(app, uploads.uploadBatchDelete, async ({ body, caller }) =>
    batchAnswer(await remove(requireSome(body.songIds), 'uploads', caller)),
  )
  implement(app, uploads.uploadBatchMove, async ({ body, caller }) =>
    batchAnswer(await move(requireSome(body.songIds), body.targetMode, 'uploads', caller)),
  )

  const remove = (songIds: string[], scope: TrackScope, caller: Admin) =>
    jobs.perform('delete-tracks', { songIds, scope, actor: actorOf(caller) })
  const move = (songIds: string[], targetMode: Mode, scope: TrackScope, caller: Admin) =>
    jobs.perform('move-tracks', { songIds, targetMode, scope, actor: actorOf(caller) })

  const findTrack = async (id: string): Promise<Readonly<Track>> => {
    const track = await data.tracks.get(id)
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    return track
  }
  const contentOf = async (track: Readonly<Track>) => {
    const { entry, offset } = await rememberedLyrics(data, track)
    return { entry, offset }
  }
  const refuseWholeLibrary = async (songIds: string[]) => {
    const asked = new Set(songIds)
    const all = await data.tracks.find()
    if (all.length > 0 && all.every(({ id }) => asked.has(id)))
      throw new Failure('FORBIDDEN', { reason: 'whole_library' })
  }
}

/** The lists as they are sent, written once per change of the library or its lyrics. */
const songsAsJson = memoizeLast((all: readonly TrackWithLyrics[]) => {
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

function actorOf({ adminId, login }: Admin): JobData<'edit-track'>['actor'] {
  return { adminId, login }
}

function required<T>(value: T | undefined, field: string): T {
  if (value === undefined || value === '') throw new Failure('BAD_REQUEST', { field, reason: 'missing' })
  return value
}

function requireSome(songIds: string[]): string[] {
  if (songIds.length === 0) throw new Failure('BAD_REQUEST', { field: 'songIds', reason: 'missing' })
  return songIds
}

/** Nothing else of what was sent gets into the log. */
function contextOf({ source, force }: { source?: string; force?: boolean }) {
  return { ...(source !== undefined && { source }), ...(force !== undefined && { force }) }
}

interface SentMetadata {
  title?: string
  artist?: string
  album?: string
  year?: number | string | null
}

/** What is sent, or stays as it is where nothing is. @throws Failure BAD_REQUEST without title or artist. */
function tagsOf(sent: SentMetadata, before: Readonly<Track>): EditableTags {
  const text = (name: 'title' | 'artist') => {
    const line = oneLine(sent[name])
    if (!line) throw new Failure('BAD_REQUEST', { field: `metadata.${name}`, reason: 'missing' })
    return line
  }
  return {
    title: text('title'),
    artist: text('artist'),
    album: sent.album === undefined ? before.album : oneLine(sent.album),
    year: sent.year === undefined ? before.year : readYear(sent.year),
  }
}

/** @throws the refusal of the one track that a batch consisted of. */
function onlyOne({ results }: JobResult<'delete-tracks'>): TrackOutcome {
  const [outcome] = results
  if (!outcome?.ok) {
    const code = (outcome?.error ?? 'INTERNAL') as Failure['code']
    throw new Failure(code, outcome?.details)
  }
  return outcome
}

function batchAnswer({ results, removedArtists }: JobResult<'delete-tracks'>) {
  const onTheWire = ({ removedFromQueue: _, details: __, ...result }: TrackOutcome): TrackResult => result
  return { ok: true as const, results: results.map(onTheWire), removedArtists }
}

/** A `Content-Disposition` (RFC 6266) for any name: as UTF-8, and in ASCII for clients that do not know that. */
export function attachment(name: string): string {
  const safe = name.replace(/[/\\:*?"<>|\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/gu, '_')
  const ascii = safe.replace(/[^\x20-\x7e]|%/g, '_')
  const encoded = encodeURIComponent(safe).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
