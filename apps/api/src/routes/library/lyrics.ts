import { Readable } from 'node:stream'
import {
  lyrics as contract,
  failures,
  type LyricsEntry,
  type LyricsStatus,
  listening,
  messages,
} from '@solstice/contracts'
import {
  type Audit,
  type DataStore,
  deleteLyrics,
  editLyrics,
  Failure,
  findTrackNamed,
  type JobQueue,
  LOOKUP_FAILED,
  type Lyrics,
  type LyricsBatches,
  lyricsStatus,
  type MediaStorage,
  memoizeLast,
  readLyrics,
  rememberedLyrics,
  requireTrackName,
  statusByKey,
  type TrackWithLyrics,
  tracksWithLyrics,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { AdminTokens } from '../../auth/admin-tokens.ts'
import { longestMs } from '../../files/send-file.ts'
import { implement } from '../../http/implement.ts'
import type { Origins } from '../../limits/client-address.ts'
import type { RequestLimits } from '../../limits/request-limits.ts'

interface LyricsDeps {
  data: DataStore
  lyrics: Lyrics
  batches: Pick<LyricsBatches, 'results'>
  audit: Audit
  media: MediaStorage
  jobs: JobQueue
  clock: WallClock
  adminTokens: AdminTokens
  origins: Origins
  limits: Pick<RequestLimits, 'lyricsBatch'>
}

/** Turns that the smallest batch takes, because any batch is kept for a day. */
const MIN_BATCH_COST = 20

/** Lyrics and their offsets, for admins. */
export function lyricsRoutes(app: FastifyInstance, deps: LyricsDeps): void {
  const { data, jobs } = deps

  implement(app, contract.listTracksWithLyrics, async ({ reply }) =>
    reply.type(JSON_TYPE).send(tracksAsJson(await tracksWithLyrics(data))),
  )

  implement(app, contract.getOffsets, async () =>
    Object.fromEntries((await data.offsets.find()).map(({ key, offset }) => [key, offset])),
  )

  implement(app, contract.getLyricsIndex, async ({ reply }) =>
    reply.type(JSON_TYPE).send(indexAsJson(await statusByKey(data))),
  )

  implement(app, contract.getLyricsEntry, async ({ query }) => {
    const songId = query.songId || null
    const track = songId === null ? requireTrackName(query) : await data.tracks.get(songId)
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    return { songId, ...(await rememberedLyrics(data, track)) }
  })

  implement(app, contract.getAllLyrics, async ({ reply }) =>
    reply.type(JSON_TYPE).send(Readable.from(lyricsAsJson(await data.lyrics.find()))),
  )

  implement(app, contract.putLyrics, async ({ body, caller }) => {
    const track = requireTrackName(body)
    if (!body.entry) throw new Failure('BAD_REQUEST', { field: 'entry', reason: 'missing' })
    const entry = readLyrics(body.entry)
    if (entry) await editLyrics(deps, caller, track, { entry })
    return { ok: true as const }
  })

  implement(app, contract.deleteLyrics, async ({ query, caller }) => ({
    ok: true as const,
    existed: await deleteLyrics(deps, caller, query),
  }))

  implement(app, contract.getAudioPreview, async ({ query, request }) => {
    const track = await findTrackNamed(data, requireTrackName(query))
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    const stored = await deps.media.link(track.storageKey, { lastsS: longestMs(track) / 1000 })
    if (stored) return { url: stored.url }
    const adminToken = deps.adminTokens.issueForFile(track.storageKey, deps.clock.nowMs())
    const link = new URLSearchParams({ track: track.id, adminToken })
    return { url: `${deps.origins.ownOrigin(request.raw)}${listening.getAdminAudio.path}?${link}` }
  })

  implement(app, contract.startLyricsBatch, async ({ body, caller, reply }) => {
    const { adminId, login } = caller
    const { songIds, force } = body
    await deps.limits.lyricsBatch(adminId, reply, Math.max(MIN_BATCH_COST, songIds.length))
    return {
      ok: true as const,
      jobId: await jobs.add('lyrics-batch', { songIds, force, actor: { adminId, login } }),
    }
  })

  implement(app, contract.getLyricsBatch, async ({ params }) => {
    const job = await jobs.progress('lyrics-batch', params.jobId)
    if (!job) throw new Failure('NOT_FOUND')
    const results = await deps.batches.results(params.jobId)
    const done = results.length
    return { ok: true as const, state: job.state, done, total: Math.max(done, job.total), results }
  })

  implement(app, contract.lookUpLyrics, async ({ body, request, reply }) => {
    const track = requireTrackName(body)
    try {
      return foundReply((await deps.lyrics.search(track, body.duration)) ?? NOT_FOUND)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      request.log.warn({ err: error }, 'lyrics lookup failed')
      return reply.code(failures.FETCH_FAILED.status).type(JSON_TYPE).send(JSON.stringify(UNREACHABLE))
    }
  })
}

const messageOfStatus = {
  synced: messages.LYRICS_SYNCED,
  plain: messages.LYRICS_PLAIN,
  none: messages.LYRICS_NONE,
}

function foundReply(lyricsEntry: LyricsEntry) {
  const status = lyricsStatus(lyricsEntry)
  return {
    ok: true as const,
    lyricsEntry,
    lyricsStatus: status,
    lyricsFormat: status === 'none' ? null : status,
    message: messageOfStatus[status],
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'
const NOT_FOUND = { synced: false, lines: [], notFound: true }

/** A refusal in the form of a reply, so that a client can go on without lyrics. */
const UNREACHABLE = {
  ok: false,
  lyricsEntry: { ...NOT_FOUND, reason: LOOKUP_FAILED },
  lyricsStatus: 'none',
  lyricsFormat: null,
  error: { code: 'FETCH_FAILED', ...messages.LYRICS_LOOKUP_FAILED },
  message: messages.LYRICS_LOOKUP_FAILED,
}

// Serializing these lists of a large library takes a while, so it is done once per change.
const tracksAsJson = memoizeLast((tracks: readonly TrackWithLyrics[]) => asItems(tracks))
const indexAsJson = memoizeLast((statuses: ReadonlyMap<string, LyricsStatus>) =>
  asItems(
    [...statuses].map(([key, status]) => {
      const [artist = '', ...title] = key.split('||')
      return { key, artist, title: title.join('||'), status }
    }),
  ),
)

function asItems(items: readonly object[]): Buffer {
  return Buffer.from(JSON.stringify({ items }))
}

const RECORDS_AT_ONCE = 50

/** All lyrics as one JSON object, in pieces, because it may be many megabytes. */
function* lyricsAsJson(records: Awaited<ReturnType<DataStore['lyrics']['find']>>): Generator<string> {
  yield '{'
  for (let at = 0; at < records.length; at += RECORDS_AT_ONCE) {
    const pieces = records
      .slice(at, at + RECORDS_AT_ONCE)
      .map(({ key, ...entry }) => `${JSON.stringify(key)}:${JSON.stringify(entry)}`)
    yield (at === 0 ? '' : ',') + pieces.join(',')
  }
  yield '}'
}
