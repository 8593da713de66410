import type { Config } from '@solstice/adapters'
import { messages, type Track, trackEditor } from '@solstice/contracts'
import {
  type Admin,
  type Announcer,
  type Audit,
  type Bus,
  type DataStore,
  dateNow,
  type EditableTags,
  Failure,
  holds,
  type JobQueue,
  keptSince,
  type Log,
  oneLine,
  readCuePoints,
  readLyrics,
  readTrackChanges,
  readYear,
  rememberedLyrics,
  setCuePoints,
  type WallClock,
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
  announcer: Announcer
  audit: Audit
  log: Log
  clock: WallClock
}

const MAX_PAGE = 200

/**
 * Saves tags, lyrics and their offset in one request, by a job, so that a client disconnect cannot interrupt it; and cue points.
 */
export function trackEditorRoutes(app: FastifyInstance, deps: TrackEditorDeps): void {
  const { data, jobs } = deps
  detailRoutes(app, deps)

  implement(app, trackEditor.saveTrack, async ({ body, caller }) => {
    const { metadataChanged, lyricsChanged, offsetChanged, lyricsEntry, offset, auditContext } = body
    refuseUnlessEditor(caller, { metadataChanged, lyricsChanged: lyricsChanged || offsetChanged })

    const songId = required(body.songId, 'songId')
    const metadata = required(body.metadata, 'metadata')
    const lyrics = lyricsChanged ? readLyrics(required(lyricsEntry, 'lyricsEntry')) : null
    const shift = offsetChanged ? required(offset, 'offset') : undefined
    const before = metadataChanged ? await findTrack(data, songId) : null
    const edited = await jobs.perform('edit-track', {
      songId,
      ...(before && { tags: tagsOf(metadata, before) }),
      ...(lyrics && { lyrics }),
      ...(shift !== undefined && { offset: shift }),
      ...(auditContext && { info: contextOf(auditContext) }),
      actor: actorOf(caller),
    })
    const track = await findTrack(data, edited.songId)
    const { entry, offset: savedOffset } = await rememberedLyrics(data, track)
    const message = edited.isChanged ? messages.TRACK_SAVED : messages.TRACK_UNCHANGED
    return { ok: true as const, track, entry, offset: savedOffset, message }
  })
}

async function findTrack(data: DataStore, id: string): Promise<Readonly<Track>> {
  const track = await data.tracks.get(id)
  if (!track) throw new Failure('TRACK_NOT_FOUND')
  return track
}

/** Cue points and what was changed. */
function detailRoutes(app: FastifyInstance, deps: TrackEditorDeps): void {
  implement(app, trackEditor.getCuePoints, async ({ query }) => ({
    ok: true as const,
    ...(await readCuePoints(deps.data, deps.config, query.songId)),
  }))

  implement(app, trackEditor.getTrackHistory, async ({ query: { songId, offset, limit: wanted } }) => {
    const { config, data, clock } = deps
    const limit = Math.min(wanted, MAX_PAGE)
    const keptSinceMs = keptSince(config.logRetentionDays, dateNow(clock))
    const track = await findTrack(data, songId)
    const page = await readTrackChanges(data, config.superAdmin, track, { offset, limit }, keptSinceMs)
    return { ok: true as const, ...page, offset, limit }
  })

  implement(app, trackEditor.setCuePoints, async ({ body, caller }) => {
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
