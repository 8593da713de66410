import type { LyricsBatchResult, LyricsEntry, LyricsStatus } from '@solstice/contracts'
import type { Audit } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import { sendCommand } from '../core/outcome.ts'
import type { Actor } from '../ports/accounts.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus } from '../ports/bus.ts'
import type { DataStore, TrackRecord } from '../ports/data/data-store.ts'
import type { JobData } from '../ports/job-queue.ts'
import type { Log } from '../ports/log.ts'
import type { LyricsBatches } from '../ports/lyrics.ts'
import type { Lyrics } from './lookups.ts'
import { editLyrics, lyricsStatus, rememberedLyrics } from './lyrics.ts'

/** Progress is announced at most this often. */
const TELL_EVERY_MS = 1_000

interface BatchDeps {
  data: DataStore
  /** null when lookups are off: then nothing is found. */
  lyrics: Lyrics | null
  batches: LyricsBatches
  bus: Pick<Bus, 'send'>
  audit: Audit
  announcer: Announcer
  log: Log
}

/** The run of a batch job. */
interface Run {
  jobId: string
  stopping: AbortSignal
  progress(done: number, total: number): Promise<void>
}

/**
 * Looks up the lyrics of tracks one by one, and saves those that are better than the stored ones (synced before plain
 * before none), or with `force` all that are found. Each track is done once, however often the job is begun; a failure
 * does not stop the others.
 *
 * @throws when `stopping` is aborted, or another process has taken the batch over.
 */
export async function updateLyrics(
  deps: BatchDeps,
  { songIds, force, actor }: JobData<'lyrics-batch'>,
  { jobId, stopping, progress }: Run,
): Promise<{ results: LyricsBatchResult[] }> {
  const ids = [...new Set(songIds)]
  const total = ids.length
  const tell = (state: 'running' | 'done', done: number) =>
    deps.announcer.tell({ privilege: 'editor_lyrics' }, 'job_progress', {
      jobId,
      name: 'lyrics-batch',
      state,
      done,
      total,
    })

  const results = await deps.batches.results(jobId)
  await progress(results.length, total)
  let toldMs = Number.NEGATIVE_INFINITY
  for (const songId of ids.slice(results.length)) {
    stopping.throwIfAborted()
    const result = await updateTrack(deps, songId, force, actor, stopping)
    if (!(await deps.batches.add(jobId, results.length, result)))
      throw new Error('batch taken over by another process')
    results.push(result)
    await progress(results.length, total)
    if (results.length < total && performance.now() - toldMs >= TELL_EVERY_MS) {
      toldMs = performance.now()
      tell('running', results.length)
    }
  }
  tell('done', total)
  return { results }
}

async function updateTrack(
  deps: BatchDeps,
  songId: string,
  force: boolean,
  actor: Actor,
  stopping: AbortSignal,
): Promise<LyricsBatchResult> {
  const { data, lyrics, log } = deps
  const track = await data.tracks.get(songId)
  if (!track) return { songId, outcome: 'failed', before: 'none', after: 'none', error: 'TRACK_NOT_FOUND' }
  const statusNow = async () => lyricsStatus((await rememberedLyrics(data, track)).entry)
  const before = await statusNow()
  const unchanged = (outcome: 'kept' | 'not_found') => ({ songId, outcome, before, after: before })
  if (!force && before === 'synced') return unchanged('kept')
  if (!lyrics) return unchanged('not_found')

  try {
    const found = await orAborted(stopping, lyrics.search(track, track.duration, stopping))
    if (!found) return unchanged('not_found')
    // Lyrics may have been written by hand meanwhile.
    if (!force && !isBetter(found, await statusNow())) return unchanged('kept')
    const isSaved = await save(deps, track, found, force, actor)
    return isSaved ? { songId, outcome: 'saved', before, after: lyricsStatus(found) } : unchanged('kept')
  } catch (error) {
    stopping.throwIfAborted()
    const isKnown = error instanceof Failure
    if (!isKnown || error.cause) log.warn({ err: error, songId }, 'lyrics update failed')
    const code = isKnown ? error.code : 'INTERNAL'
    return { songId, outcome: 'failed', before, after: before, error: code }
  }
}

/** Waits for `work`, but not beyond the abort of `stopping`. */
async function orAborted<T>(stopping: AbortSignal, work: Promise<T>): Promise<T> {
  const done = new AbortController()
  const stop = new Promise<never>((_, reject) => {
    const giveUp = () => reject(stopping.reason)
    stopping.addEventListener('abort', giveUp, { once: true, signal: done.signal })
  })
  try {
    return await Promise.race([work, stop])
  } finally {
    done.abort()
    work.catch(() => {})
  }
}

/** @returns whether anything changed. @throws Failure TRACK_LOCKED, as for an edit by hand. */
async function save(
  { data, bus, audit }: BatchDeps,
  track: Readonly<TrackRecord>,
  entry: LyricsEntry,
  force: boolean,
  actor: Actor,
): Promise<boolean> {
  await sendCommand(bus, { type: 'release-track', trackId: track.id, purpose: 'edit' })
  const { isChanged } = await editLyrics({ data, audit }, actor, track, { entry }, { source: 'batch', force })
  return isChanged
}

const rank: Record<LyricsStatus, number> = { none: 0, plain: 1, synced: 2 }

function isBetter(found: LyricsEntry, status: LyricsStatus): boolean {
  return rank[lyricsStatus(found)] > rank[status]
}
