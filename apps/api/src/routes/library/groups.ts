import { groups, type Mode, messages } from '@solstice/contracts'
import {
  type Announcer,
  type Audit,
  type Bus,
  createGroup,
  type DataStore,
  dateNow,
  deleteGroup,
  editGroup,
  Failure,
  groupFits,
  insertGroup,
  listGroups,
  searchLibrary,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../../http/implement.ts'
import type { AirMirror } from '../../stream/mirror.ts'

const MAX_PAGE = 50

/** Groups of tracks that are queued together. */
export function groupRoutes(
  app: FastifyInstance,
  deps: {
    data: DataStore
    bus: Bus
    audit: Audit
    announcer: Announcer
    clock: WallClock
    mirror: AirMirror
  },
): void {
  const { data, clock, mirror } = deps

  implement(app, groups.listGroups, async () => ({ items: await listGroups(data) }))

  implement(app, groups.searchGroupLibrary, async ({ query }) => {
    const { query: words, offset } = query
    const limit = Math.min(query.limit, MAX_PAGE)
    return { ...(await searchLibrary(data, readMode(query.mode), words, offset, limit)), offset, limit }
  })

  implement(app, groups.getGroupFits, async () => {
    const nowMs = clock.nowMs()
    const air = mirror.at(nowMs)
    if (!air) throw new Failure('AIR_UNAVAILABLE')
    return groupFits(data, air, nowMs)
  })

  implement(app, groups.createGroup, async ({ caller, body }) => {
    const group = await createGroup({ ...deps, nowMs: dateNow(clock) }, caller, body)
    return { ok: true as const, group: onTheWire(group), message: messages.GROUP_CREATED }
  })

  implement(app, groups.editGroup, async ({ caller, params, body }) => {
    const group = await editGroup(deps, caller, params.groupId, body)
    return { ok: true as const, group: onTheWire(group), message: messages.GROUP_SAVED }
  })

  implement(app, groups.deleteGroup, async ({ caller, params }) => {
    await deleteGroup(deps, caller, params.groupId)
    return { ok: true as const, message: messages.GROUP_DELETED }
  })

  implement(app, groups.insertGroup, async ({ caller, params }) => {
    const insertedSongIds = await insertGroup(deps, caller, params.groupId)
    const insertedCount = insertedSongIds.length
    return { ok: true as const, insertedCount, insertedSongIds, message: messages.GROUP_INSERTED }
  })
}

function readMode(mode = 'day'): Mode {
  if (mode !== 'day' && mode !== 'night') throw new Failure('BAD_REQUEST', { field: 'mode' })
  return mode
}

function onTheWire({ id, name, mode, songs }: { id: string; name: string; mode: Mode; songs: string[] }) {
  return { id, name, mode, songs }
}
