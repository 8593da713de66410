import { type Mode, messages, type TrackResult, trackEditor, uploads } from '@solstice/contracts'
import {
  type Admin,
  type DataStore,
  type DeleteQuota,
  Failure,
  type JobQueue,
  type JobResult,
  type TrackOutcome,
  type TrackScope,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { actorOf } from '../../auth/callers.ts'
import { implement } from '../../http/implement.ts'
import { required, requireSome } from './required.ts'

export interface TrackChangeDeps {
  data: DataStore
  jobs: JobQueue
  deleteQuota: DeleteQuota
}

/** Deleting and moving tracks, one or many. Jobs make the changes, so that a disconnect cannot interrupt them. */
export function trackChangeRoutes(app: FastifyInstance, deps: TrackChangeDeps): void {
  const { data, jobs } = deps
  const remove = (songIds: string[], scope: TrackScope, caller: Admin) =>
    jobs.perform('delete-tracks', { songIds, scope, actor: actorOf(caller) })
  const move = (songIds: string[], targetMode: Mode, scope: TrackScope, caller: Admin) =>
    jobs.perform('move-tracks', { songIds, targetMode, scope, actor: actorOf(caller) })

  implement(app, trackEditor.getDeleteQuota, async ({ caller }) => ({
    ok: true as const,
    quota: caller.role === 'super_admin' ? null : await deps.deleteQuota.left(caller.adminId),
  }))

  implement(app, trackEditor.deleteTrack, async ({ query, body, caller }) => {
    const songId = required(body?.songId ?? query.songId, 'songId')
    const result = await remove([songId], 'library', caller)
    return {
      ok: true as const,
      removedFromQueue: onlyOutcome(result).removedFromQueue,
      removedCurrent: false as const,
      removedArtists: result.removedArtists,
      message: messages.TRACK_DELETED,
    }
  })

  implement(app, trackEditor.moveTrack, async ({ body, caller }) => {
    const songId = required(body.songId, 'songId')
    const result = await move([songId], body.targetMode, 'library', caller)
    const { track, removedFromQueue } = onlyOutcome(result)
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    return {
      ok: true as const,
      track: { ...track, removedFromQueue, removedCurrent: false as const },
      removedArtists: result.removedArtists,
      message: track.id === songId ? messages.TRACK_UNCHANGED : messages.TRACK_MOVED,
    }
  })

  implement(app, trackEditor.batchDelete, async ({ body, caller }) => {
    const songIds = requireSome(body.songIds, 'songIds')
    if (caller.role !== 'super_admin') await refuseWholeLibrary(data, songIds)
    return batchReply(await remove(songIds, 'library', caller))
  })
  implement(app, trackEditor.batchMove, async ({ body, caller }) =>
    batchReply(await move(requireSome(body.songIds, 'songIds'), body.targetMode, 'library', caller)),
  )
  implement(app, uploads.uploadBatchDelete, async ({ body, caller }) =>
    batchReply(await remove(requireSome(body.songIds, 'songIds'), 'uploads', caller)),
  )
  implement(app, uploads.uploadBatchMove, async ({ body, caller }) =>
    batchReply(await move(requireSome(body.songIds, 'songIds'), body.targetMode, 'uploads', caller)),
  )
}

/** @throws Failure FORBIDDEN when the ids name every track there is. */
async function refuseWholeLibrary(data: DataStore, songIds: string[]): Promise<void> {
  const asked = new Set(songIds)
  const all = await data.tracks.find()
  if (all.length > 0 && all.every(({ id }) => asked.has(id)))
    throw new Failure('FORBIDDEN', { reason: 'whole_library' })
}

/** @throws the refusal of the one track that a batch consisted of. */
function onlyOutcome({ results }: JobResult<'delete-tracks'>): TrackOutcome {
  const [outcome] = results
  if (!outcome?.ok) {
    const code = (outcome?.error ?? 'INTERNAL') as Failure['code']
    throw new Failure(code, outcome?.details)
  }
  return outcome
}

function batchReply({ results, removedArtists }: JobResult<'delete-tracks'>) {
  const onTheWire = ({ removedFromQueue: _, details: __, ...result }: TrackOutcome): TrackResult => result
  return { ok: true as const, results: results.map(onTheWire), removedArtists }
}
