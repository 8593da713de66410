import type { Mode, RemovedArtist, Track } from '@solstice/contracts'
import { SUPER_ADMIN_ID } from '../accounts/admins.ts'
import { removeArtists, unusedArtists } from '../artwork/artist-records.ts'
import { ensureArtist } from '../artwork/artwork.ts'
import { Failure, isStoreUnavailable } from '../core/failure.ts'
import { cleanFilename } from '../core/text.ts'
import { dateNow } from '../core/wall-clock.ts'
import { replaceInGroups } from '../groups/groups.ts'
import { refuseWrite, stagedKey } from '../intake/staging.ts'
import { allEnded, auditOnce, type ResumableRun, type Run, resumable } from '../library/change-run.ts'
import { libraryChanged } from '../library/changed.ts'
import { deleteMeasurements, moveMeasurements } from '../library/loudness.ts'
import type { Actor } from '../ports/actor.ts'
import type { ArtistRecord, TrackRecord } from '../ports/data-store.ts'
import type { JobData, JobResult, TrackOutcome, TrackScope } from '../ports/job-queue.ts'
import type { MediaStat } from '../ports/media-storage.ts'
import { deleteUnusedLyrics, type EditorDeps, release } from './change.ts'

/** So many tracks are changed together: stores write whole files, and others get their turn in between. */
const PIECE = 100
/** How long a track counts as just uploaded. */
const JUST_UPLOADED_MS = 24 * 60 * 60 * 1000

/** A track in the middle of its change, as it was before. */
interface TrackInHand {
  track: TrackRecord
  /** null: there is no file. */
  file: MediaStat | null
  /** Entries that left the queue. */
  removed: number
}

/** What a run that takes over has to know. */
interface BatchNotes {
  sinceMs: number
  /** Of the songs that are done with, in the order of the list. */
  outcomes: TrackOutcome[]
  /** The tracks of the piece after those. */
  inHand: TrackInHand[]
  /** The songs of that piece whose file waits for its commit. */
  staged: string[]
  /** Artists of whom a track left the day. */
  artists: string[]
  /** Artist records that go in the end; null until that is known. */
  leaving: ArtistRecord[] | null
}

/** A batch on its way. */
interface Batch {
  readonly deps: EditorDeps
  readonly run: ResumableRun
  readonly actor: Actor
  readonly scope: TrackScope
  readonly ids: string[]
  readonly notes: BatchNotes
  /** The notes of the run before, for the piece in which it broke off. */
  begun: Map<string, TrackInHand>
  /** The air did not answer: it is not asked again. */
  isAirAway: boolean
}

export async function deleteTracks(
  deps: EditorDeps,
  given: JobData<'delete-tracks'>,
  run: Run,
): Promise<JobResult<'delete-tracks'>> {
  const batch = beginBatch(deps, given, run)
  const { adminId } = given.actor
  const isCounted = given.scope === 'library' && adminId !== SUPER_ADMIN_ID
  // As many as are asked for; what was not deleted is given back.
  if (isCounted) await deps.deleteQuota.reserve(adminId, run.jobId, batch.ids.length)
  const settleQuota = () =>
    deps.deleteQuota.settle(adminId, run.jobId, batch.notes.outcomes.filter(({ ok }) => ok).length)
  try {
    const answer = await batch.run.attempt(() => throughPieces(batch, (ids) => ids, deletePiece, true))
    if (isCounted) await settleQuota()
    return answer
  } catch (error) {
    // Anything else is tried again, or goes on later.
    if (isCounted && error instanceof Failure) await settleQuota()
    throw error
  }
}

export async function moveTracks(
  deps: EditorDeps,
  given: JobData<'move-tracks'>,
  run: Run,
): Promise<JobResult<'move-tracks'>> {
  const { targetMode } = given
  const touched = (ids: string[]) => ids.flatMap((id) => [id, idIn(targetMode, filenameOf(id))])
  const batch = beginBatch(deps, given, run)
  const { results, removedArtists } = await batch.run.attempt(() =>
    throughPieces(batch, touched, (batch, ids) => movePiece(batch, ids, targetMode), false),
  )
  const withTracks = results.map(async (result): Promise<TrackOutcome> => {
    const track = result.newId === undefined ? null : await deps.data.tracks.get(result.newId)
    return track ? { ...result, track: withoutOrigin(track) } : result
  })
  return { results: await Promise.all(withTracks), removedArtists }
}

function beginBatch(
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

/** Piece by piece, then what concerns all: artist records, and the news. */
async function throughPieces(
  batch: Batch,
  touchedBy: (ids: string[]) => string[],
  change: (batch: Batch, ids: string[]) => Promise<TrackOutcome[]>,
  removesArt: boolean,
): Promise<{ results: TrackOutcome[]; removedArtists: RemovedArtist[] }> {
  const { deps, run, ids, notes } = batch
  const { data, media, leases } = deps
  try {
    while (notes.outcomes.length < ids.length) {
      run.stopping.throwIfAborted()
      const piece = ids.slice(notes.outcomes.length, notes.outcomes.length + PIECE)
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
      // The record is gone, and if there is one again it is somebody else's.
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
  // Before what else may fail: a file without a record is a track again at the next start.
  await allEnded([...leaving.values()].map((one) => deleteFile(batch, one)))
  await deleteUnusedLyrics(deps, tracks)
  await deleteMeasurements(data, (id) => leaving.has(id))
  for (const { id } of tracks) await replaceInGroups(data, id)
  await allEnded(
    tracks.map(({ id, title, artist }) =>
      auditOnce(deps, begunAt(batch, id)).record(actor, 'delete_song', { title, artist }),
    ),
  )
  return outcomes
}

async function movePiece(batch: Batch, ids: string[], targetMode: Mode): Promise<TrackOutcome[]> {
  const { deps, actor, notes } = batch
  const { data, media } = deps
  const moving = new Map<string, TrackInHand>()

  const prepare = async (songId: string): Promise<TrackOutcome> => {
    const begun = batch.begun.get(songId)
    const newId = idIn(targetMode, filenameOf(songId))
    if (begun) {
      moving.set(songId, begun)
      return { ...done(songId, begun.removed), newId }
    }
    const track = await data.tracks.get(songId)
    if (!track) {
      if (!notes.staged.includes(songId)) throw new Failure('TRACK_NOT_FOUND')
      if (songId !== newId) await moveStaged(batch, songId, newId)
      return { ...done(songId), newId }
    }
    if (!mayChange(batch, track)) throw new Failure('FORBIDDEN')
    if (track.mode === targetMode) return { ...done(songId), newId: songId }
    if ((await data.tracks.get(newId)) || (await media.stat(newId))) throw new Failure('FILENAME_EXISTS')
    const file = await media.stat(track.storageKey)
    if (!file) throw new Failure('TRACK_NOT_FOUND')
    moving.set(songId, { track, file, removed: 0 })
    return { ...done(songId), newId }
  }
  const outcomes = new Map<string, TrackOutcome>()
  await allEnded(ids.map(async (id) => outcomes.set(id, await prepare(id).catch(refusalOf(batch, id)))))
  if (moving.size === 0) return ids.map((id) => outcomes.get(id)!)
  notes.inHand = [...moving.values()]
  await keep(batch)

  const copyAndRelease = async (one: TrackInHand): Promise<void> => {
    const { id, storageKey } = one.track
    const newId = idIn(targetMode, one.track.filename)
    if (batch.begun.has(id) && (await hasOtherFile(batch, one))) return
    const isCopied = await media.copy(storageKey, newId).catch(refuseWrite)
    if (!isCopied && !(await isOwnCopy(batch, one, newId))) throw new Failure('FILENAME_EXISTS')
    try {
      one.removed += await releaseFor(batch, id)
    } catch (error) {
      await takeBack(batch, one, newId)
      throw error
    }
    const removedFromQueue = one.removed
    outcomes.set(id, { ...done(id, removedFromQueue), newId })
  }
  await allEnded(
    [...moving.values()].map((one) =>
      copyAndRelease(one).catch(async (error) => {
        // Whether it is copied is not known: the copy is looked for when the store is back.
        if (isStoreUnavailable(error)) throw error
        moving.delete(one.track.id)
        outcomes.set(one.track.id, refusalOf(batch, one.track.id)(error))
      }),
    ),
  )
  notes.inHand = [...moving.values()]
  const tracks = notes.inHand.map(({ track }) => track)
  noteArtists(batch, tracks)
  await keep(batch)

  await allEnded(notes.inHand.map((one) => moveRecord(batch, one, targetMode)))
  await allEnded(notes.inHand.map((one) => deleteFile(batch, one)))
  if (targetMode === 'day') await Promise.all(tracks.map(({ artist }) => ensureArtist(data, artist)))
  for (const { id, filename } of tracks) {
    await replaceInGroups(data, id, { id: idIn(targetMode, filename), mode: targetMode })
  }
  await allEnded(
    tracks.map(({ id, title, artist, mode }) =>
      auditOnce(deps, begunAt(batch, id)).record(
        actor,
        'edit_song_meta',
        { title, artist, movedTo: targetMode },
        { changes: [{ field: 'mode', before: mode, after: targetMode }] },
      ),
    ),
  )
  return ids.map((id) => outcomes.get(id)!)
}

/** The record gets its new id; one that was found beside the copied file meanwhile gives way. */
async function moveRecord({ deps, begun }: Batch, { track }: TrackInHand, mode: Mode): Promise<void> {
  const { data } = deps
  const { id, filename } = track
  const newId = idIn(mode, filename)
  if (begun.has(id)) {
    if (!(await data.tracks.get(id))) return
    await data.tracks.delete({ id: newId })
  }
  await moveMeasurements(data, id, newId)
  const change = { ...track, id: newId, mode, storageKey: newId }
  const moved = await data.tracks.update({ id }, change).catch(async (error) => {
    // This may have been the last attempt, so the copy goes; the next one makes it anew.
    if ((await data.tracks.get(id)) && !(await data.tracks.get(newId))) await deps.media.delete(newId)
    throw error
  })
  // Whoever removes records without a file may have been faster.
  if (moved === 0 && !(await data.tracks.get(newId))) await deps.media.delete(newId)
}

/** Nothing was moved: there is one record again and one file. */
async function takeBack({ deps, begun }: Batch, { track }: TrackInHand, newId: string): Promise<void> {
  const { data, media } = deps
  if (begun.has(track.id)) {
    await data.tracks.delete({ id: newId })
    await data.tracks.put(track)
  }
  await media.delete(newId)
}

/** Whether what lies at the new place was put there by the run before. */
async function isOwnCopy(
  { deps, begun }: Batch,
  { track, file }: TrackInHand,
  newId: string,
): Promise<boolean> {
  if (!begun.has(track.id)) return false
  const [there, record] = await Promise.all([deps.media.stat(newId), deps.data.tracks.get(newId)])
  const isOtherUpload = record?.addedAt !== undefined && record.addedAt !== track.addedAt
  return there?.size === file?.size && !isOtherUpload
}

/** Whether the file that a track had is gone, or another one is in its place. */
async function hasOtherFile({ deps }: Batch, { track, file }: TrackInHand): Promise<boolean> {
  const now = await deps.media.stat(track.storageKey)
  return now?.size !== file?.size || now?.modifiedMs !== file?.modifiedMs
}

async function deleteFile(batch: Batch, one: TrackInHand): Promise<void> {
  if (!(await hasOtherFile(batch, one))) await batch.deps.media.delete(one.track.storageKey)
}

/** Notes the songs of a piece whose file waits for its commit: such a file may be gone when the piece is begun again. */
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

/** @throws Failure FILENAME_EXISTS when something waits there, or a track is there. */
async function moveStaged({ deps, run }: Batch, songId: string, newId: string): Promise<void> {
  const { data, media } = deps
  const [from, to] = [stagedKey(songId), stagedKey(newId)]
  const file = await media.stat(from)
  if (!file) return
  if (await data.tracks.get(newId)) throw new Failure('FILENAME_EXISTS')
  const isCopied = await media.copy(from, to).catch(refuseWrite)
  const isOwn = isCopied || (run.notes !== undefined && (await media.stat(to))?.size === file.size)
  if (!isOwn) throw new Failure('FILENAME_EXISTS')
  await media.delete(from)
}

function mayChange({ deps, actor, scope }: Batch, { addedAt, addedBy }: TrackRecord): boolean {
  if (scope === 'library' || actor.adminId === SUPER_ADMIN_ID) return true
  return (
    addedBy === actor.adminId && addedAt !== undefined && dateNow(deps.clock) - addedAt < JUST_UPLOADED_MS
  )
}

async function releaseFor(batch: Batch, songId: string): Promise<number> {
  if (batch.isAirAway) throw new Failure('AIR_UNAVAILABLE')
  try {
    return await release(batch.deps, songId, 'remove')
  } catch (error) {
    if (error instanceof Failure && error.code === 'AIR_UNAVAILABLE') batch.isAirAway = true
    throw error
  }
}

function begunAt({ begun, notes }: Batch, songId: string): BatchNotes | undefined {
  return begun.has(songId) ? notes : undefined
}

function noteArtists({ notes }: Batch, tracks: readonly TrackRecord[]): void {
  const left = tracks.filter(({ mode }) => mode === 'day').map(({ artist }) => artist)
  notes.artists = [...new Set([...notes.artists, ...left])]
}

function keep({ run, ids, notes }: Batch): Promise<void> {
  return run.keep(notes.outcomes.length, ids.length, notes)
}

/** Also when the batch broke off: what was done so far is true. */
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

function done(songId: string, removedFromQueue = 0): TrackOutcome {
  return { songId, ok: true, removedFromQueue }
}

const refusalOf =
  ({ deps, begun }: Batch, songId: string) =>
  (error: unknown): TrackOutcome => {
    // What was begun is not refused for a store that is away.
    if (!(error instanceof Failure) || (begun.has(songId) && isStoreUnavailable(error))) throw error
    const { code, details, cause } = error
    if (cause) deps.log.warn({ err: cause, songId, code }, 'a track could not be changed')
    return { songId, ok: false, error: code, details, removedFromQueue: 0 }
  }

function idIn(mode: Mode, filename: string): string {
  return `${mode}/${filename}`
}

function filenameOf(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}

function withoutOrigin({ addedAt: _, addedBy: __, ...track }: Readonly<TrackRecord>): Track {
  return track
}
