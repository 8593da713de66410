import type { ClipResult } from '@solstice/contracts'
import type { Audit } from '../accounts/audit.ts'
import { Failure, isStoreUnavailable } from '../core/failure.ts'
import { dateNow } from '../core/wall-clock.ts'
import { refuseWrite } from '../intake/staging.ts'
import { auditOnce, type Run, resumable } from '../library/change-run.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus, WallClock } from '../ports/bus.ts'
import type { ClipRecord, DataStore } from '../ports/data/data-store.ts'
import type { JobData, JobResult } from '../ports/job-queue.ts'
import type { Leases } from '../ports/leases.ts'
import type { Log } from '../ports/log.ts'
import type { MediaKey, MediaStat, MediaStorage } from '../ports/media/media-storage.ts'
import { clipFamilies, clipMedia, clipsChanged } from './clips.ts'

interface ClipChangeDeps {
  data: Pick<DataStore, 'clips' | 'audit'>
  media: MediaStorage
  announcer: Announcer
  bus: Pick<Bus, 'send'>
  audit: Audit
  clock: WallClock
  leases: Leases
  log: Log
}

/** A clip before its change, and its file; null = there is none. */
interface ClipInHand {
  clip: ClipRecord
  file: MediaStat | null
}

/** Saved with the job before anything is changed. */
interface ClipNotes {
  sinceMs: number
  inHand: ClipInHand[]
}

type Change = (one: ClipInHand, notes: ClipNotes, isBegun: boolean) => Promise<ClipResult>

/** Deletes clips. Resumable. @throws Deferred when a store interrupts it. */
export async function deleteClips(
  deps: ClipChangeDeps,
  job: JobData<'delete-clips'>,
  run: Run,
): Promise<JobResult<'delete-clips'>> {
  const { data } = deps
  return changeClips(deps, job, run, async (one, notes) => {
    const { id, family, filename, mode } = one.clip
    await data.clips.delete({ id })
    await deleteFile(deps, one)
    const operation = `${clipFamilies[family].audit}_delete`
    await auditOnce(deps.audit, run, notes, id).record(job.actor, operation, { filename, mode })
    return { id, ok: true }
  })
}

/** Moves clips to a mode; those that are in it already stay as they are. Resumable, and interrupted as above. */
export async function moveClips(
  deps: ClipChangeDeps,
  job: JobData<'move-clips'>,
  run: Run,
): Promise<JobResult<'move-clips'>> {
  const { data } = deps
  const { targetMode } = job
  return changeClips(deps, job, run, async (one, _, isBegun) => {
    const { id, mode } = one.clip
    if (mode === targetMode) return { id, ok: true }
    if ((await data.clips.get(id))?.mode === mode) {
      await copyFile(deps, one, clipMedia({ ...one.clip, mode: targetMode }), isBegun)
      await data.clips.update({ id, mode }, { mode: targetMode })
    }
    await deleteFile(deps, one)
    return { id, ok: true }
  })
}

async function changeClips(
  deps: ClipChangeDeps,
  { family, ids: asked }: Pick<JobData<'delete-clips'>, 'family' | 'ids'>,
  begun: Run,
  change: Change,
): Promise<{ results: ClipResult[] }> {
  const { data, media, leases, clock } = deps
  const run = resumable(begun)
  const ids = [...new Set(asked)]
  const known = run.notes as ClipNotes | undefined

  const begin = async (): Promise<ClipNotes> => {
    const clips = (await data.clips.find({ family })).filter(({ id }) => ids.includes(id))
    const inHand = clips.map(async (clip) => ({ clip, file: await media.stat(clipMedia(clip)) }))
    const notes = { sinceMs: dateNow(clock), inHand: await Promise.all(inHand) }
    if (clips.length > 0) await run.keep(0, ids.length, notes)
    return notes
  }
  const changeAll = async () => {
    const notes = known ?? (await begin())
    const { inHand } = notes
    const byId = new Map(inHand.map((one) => [one.clip.id, one]))
    const results: ClipResult[] = []
    try {
      for (const id of ids) {
        const one = byId.get(id)
        const changed = one
          ? change(one, notes, known !== undefined)
          : Promise.reject(new Failure('NOT_FOUND'))
        results.push(await changed.catch(refusalOf(deps, id)))
      }
    } finally {
      // Also after an interruption: some clips may have changed.
      if (inHand.length > 0) clipsChanged(deps, family)
    }
    return { results }
  }
  const names = ids.map((id) => `${clipFamilies[family].folder}/${id}`)
  return leases.hold(run.jobId, names, run.stopping, () => run.attempt(changeAll))
}

const refusalOf =
  ({ log }: ClipChangeDeps, id: string) =>
  (error: unknown): ClipResult => {
    if (!(error instanceof Failure) || isStoreUnavailable(error)) throw error
    const { code, cause } = error
    if (cause) log.warn({ err: cause, clip: id, code }, 'clip change failed')
    return { id, ok: false, error: code === 'NOT_FOUND' ? 'not_found' : code }
  }

/** @throws Failure NOT_FOUND, FILENAME_EXISTS, STORAGE_WRITE_FAILED */
async function copyFile(
  { media }: ClipChangeDeps,
  { clip, file }: ClipInHand,
  to: MediaKey,
  isBegun: boolean,
): Promise<void> {
  if (await media.copy(clipMedia(clip), to).catch(refuseWrite)) return
  // The file there may be the copy of the interrupted run.
  const isOwn = isBegun && (await media.stat(to))?.size === file?.size
  if (!isOwn) throw new Failure('FILENAME_EXISTS')
}

/** Deletes the file of a clip, unless another file has its name by now. */
async function deleteFile({ media }: ClipChangeDeps, { clip, file }: ClipInHand): Promise<void> {
  const key = clipMedia(clip)
  const now = await media.stat(key)
  if (now?.size === file?.size && now?.modifiedMs === file?.modifiedMs) await media.delete(key)
}
