import type { RemovedArtist } from '@solstice/contracts'
import { SUPER_ADMIN_ID } from '../accounts/admins.ts'
import type { Audit } from '../accounts/audit.ts'
import { removeArtists, unusedArtists } from '../artwork/artist-records.ts'
import { Failure, isStoreUnavailable } from '../core/failure.ts'
import { cleanFilename } from '../core/text.ts'
import { dateNow } from '../core/wall-clock.ts'
import { stagedKey } from '../intake/staging.ts'
import { auditOnce, type ResumableRun, type Run, resumable } from '../library/change-run.ts'
import { libraryChanged } from '../library/changed.ts'
import type { Actor } from '../ports/accounts.ts'
import type { ArtistRecord, TrackRecord } from '../ports/data/data-store.ts'
import type { TrackOutcome, TrackScope } from '../ports/job-queue.ts'
import type { MediaStat } from '../ports/media/media-storage.ts'
import { type EditorDeps, release } from './change.ts'

/** Tracks changed together: stores write whole files, and other changes get their turn in between. */
const PIECE_SIZE = 100
const JUST_UPLOADED_MS = 24 * 60 * 60 * 1000

/** A track in the middle of its change, as it was before. */
export interface TrackInHand {
  track: TrackRecord
  /** null: there is no file. */
  file: MediaStat | null
  /** Entries that left the queue. */
  removed: number
}

/** Saved with the job: what a run that takes over has to know. */
interface BatchNotes {
  sinceMs: number
  /** Of the finished tracks, in the order of the list. */
  outcomes: TrackOutcome[]
  /** The tracks of the piece after those. */
  inHand: TrackInHand[]
  /** Ids in that piece whose file waits for its commit. */
  staged: string[]
  /** Artists of tracks that left the day mode. */
  artists: string[]
  /** Artist records to remove in the end; null until known. */
  leaving: ArtistRecord[] | null
}

/** A batch in progress. */
export interface Batch {
  readonly deps: EditorDeps
  readonly run: ResumableRun
  readonly actor: Actor
  readonly scope: TrackScope
  readonly ids: string[]
  readonly notes: BatchNotes
  /** Notes of the interrupted run, for the piece it was in. */
  begun: Map<string, TrackInHand>
  /** No worker answered: none is asked again. */
  isAirAway: boolean
}

export function beginBatch(
  deps: EditorDeps,
  { songIds, scope, actor }: { songIds: string[]; scope: TrackScope; actor: Actor },
  run: Run,
): Batch {
  const kept = run.notes as BatchNotes | undefined
  const sinceMs = dateNow(deps.clock)
  return {
    deps,
    run: resumable(run),
    actor,
    scope,
    ids: [...new Set(songIds)],
    notes: kept ?? { sinceMs, outcomes: [], inHand: [], staged: [], artists: [], leaving: null },
    begun: new Map(kept?.inHand.map((one) => [one.track.id, one])),
    isAirAway: false,
  }
}

/**
 * Changes the tracks piece by piece, then removes unused artist records and announces the changes.
 *
 * @param how.touchedBy all ids that a piece touches; they are leased meanwhile.
 */
export async function runPieces(
  batch: Batch,
  how: {
    touchedBy: (ids: string[]) => string[]
    change: (batch: Batch, ids: string[]) => Promise<TrackOutcome[]>
    removesArt: boolean
  },
): Promise<{ results: TrackOutcome[]; removedArtists: RemovedArtist[] }> {
  const { deps, run, ids, notes } = batch
  const { data, media, leases } = deps
  const { touchedBy, change, removesArt } = how
  try {
    while (notes.outcomes.length < ids.length) {
      run.stopping.throwIfAborted()
      const piece = ids.slice(notes.outcomes.length, notes.outcomes.length + PIECE_SIZE)
      const outcomes = await leases.hold(run.jobId, touchedBy(piece), run.stopping, () =>
        run.attempt(() => findStaged(batch, piece).then(() => change(batch, piece))),
      )
      notes.outcomes.push(...outcomes)
      notes.inHand = []
      notes.staged = []
      batch.begun = new Map()
    }
    if (notes.leaving === null) {
      notes.leaving = await unusedArtists(data, notes.artists, removesArt)
      if (notes.leaving.length > 0) await keep(batch)
    }
    const removedArtists = await removeArtists(data, media, notes.leaving)
    if (batch.isAirAway && !notes.outcomes.some(({ ok }) => ok)) throw new Failure('AIR_UNAVAILABLE')
    return { results: notes.outcomes, removedArtists }
  } finally {
    await tellChanges(batch)
  }
}

/** True when a track's file is gone, or was replaced by another. */
export async function hasOtherFile({ deps }: Batch, { track, file }: TrackInHand): Promise<boolean> {
  const now = await deps.media.stat(track.storageKey)
  return now?.size !== file?.size || now?.modifiedMs !== file?.modifiedMs
}

export async function deleteFile(batch: Batch, one: TrackInHand): Promise<void> {
  if (!(await hasOtherFile(batch, one))) await batch.deps.media.delete(one.track.storageKey)
}

/** Notes which ids of a piece have a file that waits for its commit: it may be gone when the piece is begun again. */
async function findStaged(batch: Batch, ids: string[]): Promise<void> {
  const { deps, notes, scope } = batch
  if (scope !== 'uploads') return
  const isStaged = async (id: string) => {
    const filename = filenameOf(id)
    const isOfUpload = /^(day|night)\//.test(id) && filename === cleanFilename(filename)
    return isOfUpload && (await deps.media.stat(stagedKey(id))) !== null
  }
  const found = await Promise.all(ids.map(async (id) => ((await isStaged(id)) ? [id] : [])))
  notes.staged = [...new Set([...notes.staged, ...found.flat()])]
  if (notes.staged.length > 0) await keep(batch)
}

export function mayChange({ deps, actor, scope }: Batch, { addedAt, addedBy }: TrackRecord): boolean {
  if (scope === 'library' || actor.adminId === SUPER_ADMIN_ID) return true
  return (
    addedBy === actor.adminId && addedAt !== undefined && dateNow(deps.clock) - addedAt < JUST_UPLOADED_MS
  )
}

export async function releaseFor(batch: Batch, songId: string): Promise<number> {
  if (batch.isAirAway) throw new Failure('AIR_UNAVAILABLE')
  try {
    return await release(batch.deps, songId, 'remove')
  } catch (error) {
    if (error instanceof Failure && error.code === 'AIR_UNAVAILABLE') batch.isAirAway = true
    throw error
  }
}

export function auditOnceIn({ deps, run, notes }: Batch, songId: string): Audit {
  return auditOnce(deps.audit, run, notes, songId)
}

export function noteArtists({ notes }: Batch, tracks: readonly TrackRecord[]): void {
  const left = tracks.filter(({ mode }) => mode === 'day').map(({ artist }) => artist)
  notes.artists = [...new Set([...notes.artists, ...left])]
}

export function keep({ run, ids, notes }: Batch): Promise<void> {
  return run.keep(notes.outcomes.length, ids.length, notes)
}

/** Announces the changes so far, also of an interrupted batch. */
async function tellChanges({ deps, notes }: Batch): Promise<void> {
  const changed = [
    ...notes.outcomes.filter(({ ok, newId, songId }) => ok && newId !== songId),
    ...notes.inHand.map(({ track, removed }) => done(track.id, removed)),
  ]
  if (changed.length === 0) return
  await libraryChanged(
    deps,
    changed.map(({ songId }) => ({ trackId: songId, track: null })),
  )
  if (changed.some(({ removedFromQueue }) => removedFromQueue > 0))
    deps.announcer.announce('queue_updated', {})
}

export function done(songId: string, removedFromQueue = 0): TrackOutcome {
  return { songId, ok: true, removedFromQueue }
}

export const refusalOf =
  ({ deps, begun }: Batch, songId: string) =>
  (error: unknown): TrackOutcome => {
    // A change that was begun is not refused because a store is away.
    if (!(error instanceof Failure) || (begun.has(songId) && isStoreUnavailable(error))) throw error
    const { code, details, cause } = error
    if (cause) deps.log.warn({ err: cause, songId, code }, 'track change failed')
    return { songId, ok: false, error: code, details, removedFromQueue: 0 }
  }

export function filenameOf(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}
