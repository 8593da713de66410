import { type ClipFamily, clipFamilyNames, clips as contract, failureBody } from '@solstice/contracts'
import {
  type Announcer,
  type AudioTags,
  type Audit,
  type Bus,
  clipMedia,
  countClips,
  type DataStore,
  decodeFilename,
  Failure,
  findClip,
  isClipTaken,
  isMode,
  type JobQueue,
  type Log,
  listClips,
  type MediaStorage,
  receiveClip,
  setClipUsed,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { AdminTokens } from '../../auth/admin-tokens.ts'
import { refuseOtherFile, sendFile } from '../../files/send-file.ts'
import { implement } from '../../http/implement.ts'
import type { Origins } from '../../limits/client-address.ts'

interface ClipDeps {
  data: Pick<DataStore, 'clips'>
  tags: AudioTags
  announcer: Announcer
  bus: Pick<Bus, 'send'>
  audit: Audit
  log: Log
  jobs: JobQueue
  media: MediaStorage
  adminTokens: AdminTokens
  origins: Origins
  clock: WallClock
}

/** Minimum life of a link to a clip. */
const LINK_LIFE_S = 600

const routesOf = {
  jingles: contract.jingles,
  phrases: contract.phrases,
  'background-music': contract.backgroundMusic,
} as const

/** Jingles, phrases and background music: the same routes for each. */
export function clipRoutes(app: FastifyInstance, deps: ClipDeps): void {
  for (const family of clipFamilyNames) familyRoutes(app, family, deps)

  implement(app, contract.listJingleChoices, async ({ query: { mode, search = '', limit } }) => {
    const most = Math.min(limit, contract.mostClipsPerPage('jingles'))
    const page = { mode, search, offset: 0, limit: most, used: true } as const
    const { items, total } = await listClips(deps.data, 'jingles', page)
    return { items: items.map(({ id, filename, duration }) => ({ id, filename, duration })), total }
  })
}

function familyRoutes(app: FastifyInstance, family: ClipFamily, deps: ClipDeps): void {
  const { data, jobs, media, adminTokens, origins, clock } = deps
  const routes = routesOf[family]
  const one = contract.clipKey(family)
  const single = <C>(clip: C) => ({ ok: true as const, [one]: clip })

  implement(app, routes.list, async ({ query }) => {
    const { search = '', offset } = query
    const limit = Math.min(query.limit, contract.mostClipsPerPage(family))
    const mode = isMode(query.mode) ? query.mode : null
    return { ok: true as const, ...(await listClips(data, family, { mode, search, offset, limit })) }
  })

  implement(app, routes.counts, async () => ({ ok: true as const, ...(await countClips(data, family)) }))

  implement(app, routes.getFile, async ({ query, caller, request, reply }) => {
    const { mode, filename } = query
    if (/[/\\\p{Cc}]|^\.{1,2}$/u.test(filename)) throw new Failure('BAD_REQUEST', { field: 'filename' })
    const key = clipMedia({ family, mode, filename })
    refuseOtherFile(caller, key)
    if (media.linkOrigin !== null) throw new Failure('NOT_FOUND')
    return sendFile(request, reply, media, key)
  })

  implement(app, routes.getAudio, async ({ params, request }) => {
    const clip = await findClip(data, family, params.id)
    const stored = await media.link(clipMedia(clip), { lastsS: LINK_LIFE_S })
    if (stored) return { ok: true as const, url: stored.url }
    const adminToken = adminTokens.issueForFile(clipMedia(clip), clock.nowMs())
    const link = new URLSearchParams({ mode: clip.mode, filename: clip.filename, adminToken })
    return { ok: true as const, url: `${origins.ownOrigin(request.raw)}${routes.getFile.path}?${link}` }
  })

  implement(app, routes.setUsed, async ({ params, body }) =>
    single(await setClipUsed(deps, { family, id: params.id, used: body.used })),
  )

  implement(app, routes.batchDelete, async ({ body: { ids }, caller }) => {
    if (ids.length === 0) throw new Failure('BAD_REQUEST', { field: 'ids', reason: 'missing' })
    const { results } = await jobs.perform('delete-clips', { family, ids, actor: caller })
    return { ok: true as const, results }
  })

  implement(app, routes.batchMove, async ({ body: { ids, targetMode }, caller }) => {
    if (ids.length === 0) throw new Failure('BAD_REQUEST', { field: 'ids', reason: 'missing' })
    const { results } = await jobs.perform('move-clips', { family, ids, targetMode, actor: caller })
    return { ok: true as const, results }
  })

  implement(app, routes.checkDuplicate, async ({ body, reply }) => {
    // Existing clients recognize this refusal by `ok` alone.
    if (!body.filename?.trim())
      return reply
        .code(400)
        .type('application/json; charset=utf-8')
        .serializer(JSON.stringify)
        .send({
          ok: false,
          ...failureBody('BAD_REQUEST', { field: 'filename', reason: 'missing' }),
        })
    return { ok: true as const, exists: await isClipTaken(data, family, body.filename) }
  })

  implement(app, routes.upload, async ({ query, body, caller, request }) => {
    const mode = query.mode ?? 'day'
    if (!isMode(mode)) throw new Failure('BAD_REQUEST', { field: 'mode' })
    const filename = decodeFilename(String(request.headers['x-file-name']))
    return single(await receiveClip(deps, caller, { family, mode, filename, content: body }))
  })
}
