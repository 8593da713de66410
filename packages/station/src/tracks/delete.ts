import { SUPER_ADMIN_ID } from '../accounts/admins.ts'
import { deleteTrackCovers } from '../artwork/covers.ts'
import { Failure } from '../core/failure.ts'
import { replaceInGroups } from '../groups/groups.ts'
import { stagedKey } from '../intake/staging.ts'
import { allEnded, type Run } from '../library/change-run.ts'
import { deleteMeasurements } from '../library/loudness.ts'
import type { JobData, JobResult, TrackOutcome } from '../ports/job-queue.ts'
import {
  auditOnceIn,
  type Batch,
  beginBatch,
  deleteFile,
  done,
  hasOtherFile,
  keep,
  mayChange,
  noteArtists,
  refusalOf,
  releaseFor,
  runPieces,
  type TrackInHand,
} from './batch.ts'
import { deleteUnusedLyrics, type EditorDeps } from './change.ts'

/**
 * Deletes tracks and files that wait for their commit. Resumable, and interrupted like `editTrack`.
 *
 * @throws Failure DELETE_QUOTA_EXCEEDED; AIR_UNAVAILABLE when nothing could be deleted because of that.
 */
export async function deleteTracks(
  deps: EditorDeps,
  job: JobData<'delete-tracks'>,
  run: Run,
): Promise<JobResult<'delete-tracks'>> {
  const batch = beginBatch(deps, job, run)
  const { adminId } = job.actor
  const isCounted = job.scope === 'library' && adminId !== SUPER_ADMIN_ID
  // Reserves as many as asked for; the rest is given back in the end.
  if (isCounted) await deps.deleteQuota.reserve(adminId, run.jobId, batch.ids.length)
  const settleQuota = () =>
    deps.deleteQuota.settle(adminId, run.jobId, batch.notes.outcomes.filter(({ ok }) => ok).length)
  try {
    const answer = await batch.run.attempt(() =>
      runPieces(batch, { touchedBy: (ids) => ids, change: deletePiece, removesArt: true }),
    )
    if (isCounted) await settleQuota()
    return answer
  } catch (error) {
    // Any other error is retried, or resumed later.
    if (isCounted && error instanceof Failure) await settleQuota()
    throw error
  }
}

async function deletePiece(batch: Batch, ids: string[]): Promise<TrackOutcome[]> {
  const { deps, actor, notes } = batch
  const { data, media } = deps
  const leaving = new Map<string, TrackInHand>()
  const withRecord = new Set<string>()

  const attempt = async (songId: string): Promise<TrackOutcome> => {
    const begun = batch.begun.get(songId)
    const isStaged = notes.staged.includes(songId)
    if (isStaged) await media.delete(stagedKey(songId))
    const track = await data.tracks.get(songId)
    if (begun && (!track || (await hasOtherFile(batch, begun)))) {
      // The record is gone; a new one under this id is another upload.
      leaving.set(songId, begun)
      return done(songId, begun.removed)
    }
    if (isStaged && !(track && mayChange(batch, track))) return done(songId)
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    if (!mayChange(batch, track)) throw new Failure('FORBIDDEN')
    const file = await media.stat(track.storageKey)
    const removed = (await releaseFor(batch, songId)) + (begun?.removed ?? 0)
    leaving.set(songId, { track: begun?.track ?? track, file, removed })
    withRecord.add(songId)
    return done(songId, removed)
  }
  const outcomes = await allEnded(ids.map((id) => attempt(id).catch(refusalOf(batch, id))))

  const tracks = [...leaving.values()].map(({ track }) => track)
  if (tracks.length === 0) return outcomes
  noteArtists(batch, tracks)
  notes.inHand = [...leaving.values()]
  await keep(batch)

  await data.tracks.delete(({ id }) => withRecord.has(id))
  // Files first: a file without a record becomes a track again at the next start.
  await allEnded([...leaving.values()].map((one) => deleteFile(batch, one)))
  await deleteUnusedLyrics(deps, tracks)
  await deleteMeasurements(data, leaving.keys())
  await deleteTrackCovers(data, (id) => leaving.has(id))
  for (const { id } of tracks) await replaceInGroups(data, id)
  await allEnded(
    tracks.map(({ id, title, artist }) =>
      auditOnceIn(batch, id).record(actor, 'delete_song', { title, artist }),
    ),
  )
  return outcomes
}
