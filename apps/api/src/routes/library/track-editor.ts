import type { Config } from '@solstice/adapters'
import { messages, type Track, tracks } from '@solstice/contracts'
import {
  type Admin,
  type Audit,
  type Bus,
  type DataStore,
  type EditableTags,
  Failure,
  holds,
  type JobQueue,
  type Log,
  oneLine,
  readCuePoints,
  readLyrics,
  readYear,
  rememberedLyrics,
  setCuePoints,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { actorOf } from '../../auth/callers.ts'
import { implement } from '../../http/implement.ts'
import { required } from './required.ts'

export interface TrackEditorDeps {
  config: Config
  data: DataStore
  jobs: JobQueue
  bus: Bus
  audit: Audit
  log: Log
}

/**
 * Saves tags, lyrics and their offset in one request, by a job, so that a client disconnect cannot interrupt it; and cue points.
 */
export function trackEditorRoutes(app: FastifyInstance, deps: TrackEditorDeps): void {
  const { data, jobs } = deps
  cuePointRoutes(app, deps)

  const findTrack = async (id: string): Promise<Readonly<Track>> => {
    const track = await data.tracks.get(id)
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    return track
  }

  implement(app, tracks.saveTrack, async ({ body, caller }) => {
    const { metadataChanged, lyricsChanged, offsetChanged, lyricsEntry, offset, auditContext } = body
    refuseUnlessEditor(caller, { metadataChanged, lyricsChanged: lyricsChanged || offsetChanged })

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
    const { entry, offset: savedOffset } = await rememberedLyrics(data, track)
    const message = edited.isChanged ? messages.TRACK_SAVED : messages.TRACK_UNCHANGED
    return { ok: true as const, track, entry, offset: savedOffset, message }
  })
}

function cuePointRoutes(app: FastifyInstance, deps: TrackEditorDeps): void {
  implement(app, tracks.getCuePoints, async ({ query }) => ({
    ok: true as const,
    ...(await readCuePoints(deps.data, deps.config, query.songId)),
  }))

  implement(app, tracks.setCuePoints, async ({ body, caller }) => {
    const { cuePoints, isChanged } = await setCuePoints(deps, caller, required(body.songId, 'songId'), body)
    const message = isChanged ? messages.TRACK_SAVED : messages.TRACK_UNCHANGED
    return { ok: true as const, ...cuePoints, message }
  })
}

/** @throws Failure FORBIDDEN */
function refuseUnlessEditor(
  caller: Admin,
  { metadataChanged, lyricsChanged }: { metadataChanged?: boolean; lyricsChanged?: boolean },
): void {
  const mayEditMeta = holds(caller, 'editor_meta')
  const mayEditLyrics = mayEditMeta || holds(caller, 'editor_lyrics')
  if (metadataChanged && !mayEditMeta) throw new Failure('FORBIDDEN')
  if (lyricsChanged && !mayEditLyrics) throw new Failure('FORBIDDEN')
}

/** Only these fields get into the audit log, whatever else was sent. */
function contextOf({ source, force }: { source?: string; force?: boolean }) {
  return { ...(source !== undefined && { source }), ...(force !== undefined && { force }) }
}

interface SentMetadata {
  title?: string
  artist?: string
  album?: string
  year?: number | string | null
}

/** Fields that were not sent stay as they are. @throws Failure BAD_REQUEST without title or artist. */
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
