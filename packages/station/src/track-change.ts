import type { Actor, Audit, FieldChange } from './audit.ts'
import { Failure } from './failure.ts'
import { lyricsKey } from './keys.ts'
import type { Log } from './library.ts'
import type { Announcer } from './ports/announcer.ts'
import type { Bus, StationClock } from './ports/bus.ts'
import type { DataStore } from './ports/data-store.ts'
import type { DeleteQuota } from './ports/delete-quota.ts'
import type { JobQueue } from './ports/job-queue.ts'
import type { Leases } from './ports/leases.ts'
import type { MediaStorage } from './ports/media-storage.ts'
import type { AudioTags } from './ports/outside.ts'

export interface EditorDeps {
  data: DataStore
  media: MediaStorage
  tags: AudioTags
  bus: Pick<Bus, 'send'>
  announcer: Announcer
  jobs: Pick<JobQueue, 'add'>
  audit: Audit
  clock: StationClock
  leases: Leases
  deleteQuota: DeleteQuota
  log: Log
}

/** One run of a job. It may be the first, or go on with what a process that died had begun. */
export interface Run {
  readonly jobId: string
  readonly stopping: AbortSignal
  /** What the run before this one kept last. */
  readonly notes: unknown
  /** Resolves when the notes are saved. */
  keep(done: number, total: number, notes: unknown): Promise<void>
}

/** @throws Failure TRACK_LOCKED, AIR_UNAVAILABLE */
export async function release(
  { bus }: Pick<EditorDeps, 'bus'>,
  trackId: string,
  purpose: 'edit' | 'remove',
): Promise<number> {
  const outcome = await bus.send({ type: 'release-track', trackId, purpose })
  if (!outcome.ok) throw new Failure(outcome.code, outcome.details)
  return outcome.removed
}

/** Writes to the log, unless the run that broke off already did. */
export async function recordOnce(
  { data, audit }: Pick<EditorDeps, 'data' | 'audit'>,
  begun: { sinceMs: number } | undefined,
  actor: Actor,
  operationType: string,
  about: Record<string, unknown>,
  changes?: FieldChange[],
): Promise<void> {
  if (begun) {
    const { adminId } = actor
    const written = await data.audit.find({ operationType, adminId })
    const isSame = ({ details: _, ...rest }: Record<string, unknown>) =>
      JSON.stringify(rest) === JSON.stringify(about)
    if (written.some((entry) => entry.createdAt >= begun.sinceMs && isSame(entry.data))) return
  }
  await audit.record(actor, operationType, about, changes && { changes })
}

/** Lyrics and offset that no track asks for any more are forgotten. */
export async function forgetLyrics(
  { data }: Pick<EditorDeps, 'data'>,
  songs: readonly { artist: string; title: string }[],
): Promise<void> {
  const used = new Set((await data.tracks.find()).map(({ artist, title }) => lyricsKey(artist, title)))
  const keys = songs.map(({ artist, title }) => lyricsKey(artist, title)).filter((key) => !used.has(key))
  if (keys.length === 0) return
  const unused = new Set(keys)
  await Promise.all([
    data.lyrics.delete(({ key }) => unused.has(key)),
    data.offsets.delete(({ key }) => unused.has(key)),
  ])
}
