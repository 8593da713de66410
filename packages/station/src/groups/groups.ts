import { randomUUID } from 'node:crypto'
import type { groups, Mode, Reply, SongGroup, SongPreview, Track } from '@solstice/contracts'
import { durationOf, groupObstacle, modeChangeMs, type PlayoutState, wordSearch } from '@solstice/playout'
import { type Audit, changedFields } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { sendCommand } from '../core/outcome.ts'
import { tidyText } from '../core/text.ts'
import { libraryOf, trackRef } from '../library/library.ts'
import type { Actor } from '../ports/accounts.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus } from '../ports/bus.ts'
import type { DataStore, GroupRecord } from '../ports/data/data-store.ts'

type Group = Readonly<GroupRecord>
type GroupData = Pick<DataStore, 'groups' | 'tracks'>
interface Deps {
  data: GroupData
  audit: Audit
  announcer: Pick<Announcer, 'tell'>
}
/** A group as an admin sends it. */
export interface GroupDraft {
  name: string
  mode: Mode
  songs: string[]
}

const MAX_NAME_LENGTH = 100
const MAX_GROUPS = 200
/** Optimistic-lock retries before giving up. */
const ATTEMPTS = 50

/** All groups, the oldest first, with those of their tracks that the library has. */
export async function listGroups(data: GroupData): Promise<SongGroup[]> {
  const [groups, tracks] = await Promise.all([data.groups.find(), data.tracks.find()])
  return describeGroups(groups, tracks)
}

const describeGroups = memoizeLast(
  (groups: readonly Group[], tracks: readonly Readonly<Track>[]): SongGroup[] => {
    const byId = new Map(tracks.map((track) => [track.id, track]))
    return groups.map(({ id, name, mode, songs }) => {
      const present = songs.flatMap((songId) => byId.get(songId) ?? [])
      return {
        id,
        name,
        mode,
        songs: present.map((track) => track.id),
        songCount: present.length,
        songsPreview: present.map(preview),
      }
    })
  },
)

/** Tracks of a mode that match all words of a query, by artist and title. */
export async function searchLibrary(
  data: Pick<DataStore, 'tracks'>,
  mode: Mode,
  query: string,
  offset: number,
  limit: number,
): Promise<{ items: SongPreview[]; total: number }> {
  const found = (await libraryOf(data, mode)).filter(wordSearch(query))
  return { items: found.slice(offset, offset + limit).map(preview), total: found.length }
}

/** @throws Failure BAD_REQUEST */
export async function createGroup(
  deps: Deps & { nowMs: number },
  actor: Actor,
  draft: GroupDraft,
): Promise<Group> {
  const { data, audit, announcer } = deps
  const { name, nameKey } = readName(draft.name)
  const songs = await readTrackIds(data, draft.mode, draft.songs)
  if ((await data.groups.find()).length >= MAX_GROUPS)
    throw new Failure('BAD_REQUEST', { field: 'name', reason: 'too_many', max: MAX_GROUPS })
  const createdAt = Math.floor(deps.nowMs)
  const group = { id: randomUUID(), name, nameKey, mode: draft.mode, songs, createdAt, revision: 1 }
  if (!(await data.groups.insert(group))) throw nameTaken()
  announcer.tell('admins', 'settings_updated')
  await audit.record(actor, 'group_create', { name })
  return group
}

/** Changes the sent fields of a group. @throws Failure BAD_REQUEST, NOT_FOUND */
export async function editGroup(
  deps: Deps,
  actor: Actor,
  id: string,
  draft: Partial<GroupDraft>,
): Promise<Group> {
  const { data, audit, announcer } = deps
  const sentName = draft.name === undefined ? null : readName(draft.name)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await findGroup(data, id)
    const mode = draft.mode ?? before.mode
    const isOtherLibrary = draft.songs !== undefined || mode !== before.mode
    const songs = isOtherLibrary ? await readTrackIds(data, mode, draft.songs ?? before.songs) : before.songs
    const after: Group = { ...before, ...sentName, mode, songs: [...songs] }
    const changes = changedFields(before, after, ['name', 'mode', 'songs'])
    if (changes.length === 0) return before
    if (!(await replaceGroup(data, before, after))) continue
    announcer.tell('admins', 'settings_updated')
    await audit.record(actor, 'group_edit', { name: after.name }, describeChanges(before, after))
    return { ...after, revision: before.revision + 1 }
  }
  throw new Error(`group ${id} not saved: too many concurrent changes`)
}

/** @throws Failure NOT_FOUND */
export async function deleteGroup(deps: Deps, actor: Actor, id: string): Promise<void> {
  const { name } = await findGroup(deps.data, id)
  if ((await deps.data.groups.delete({ id })) === 0) throw new Failure('NOT_FOUND')
  deps.announcer.tell('admins', 'settings_updated')
  await deps.audit.record(actor, 'group_delete', { groupId: id, name })
}

/**
 * Queues the tracks of a group that the library still has.
 *
 * @returns their ids in the order of the queue.
 * @throws Failure NOT_FOUND, QUEUE_GROUP_INSERT_FAILED, AIR_UNAVAILABLE
 */
export async function insertGroup(
  deps: { data: GroupData; bus: Pick<Bus, 'send'>; audit: Audit },
  actor: Actor,
  id: string,
): Promise<string[]> {
  const { data, bus, audit } = deps
  const { name, mode, songs } = await findGroup(data, id)
  const found = await Promise.all(songs.map((songId) => data.tracks.get(songId)))
  const tracks = found.flatMap((track) => (track?.mode === mode ? trackRef(track) : []))
  const { inserted } = await sendCommand(bus, { type: 'insert-group', mode, tracks })
  await audit.record(actor, 'group_insert', { groupId: id, name })
  return inserted
}

/** Tells for each group whether it could be queued now. @param air advanced to `nowMs`. */
export async function groupFits(
  data: GroupData,
  air: PlayoutState,
  nowMs: number,
): Promise<Reply<typeof groups.getGroupFits>> {
  const changeMs = modeChangeMs(air, nowMs)
  const library = new Map((await data.tracks.find()).map((track) => [track.id, track]))
  const fits = (await data.groups.find()).map(({ id, mode, songs }) => {
    const found = songs.map((songId) => library.get(songId))
    const tracks = found.flatMap((track) => (track?.mode === mode ? trackRef(track) : []))
    const obstacle = groupObstacle(air, { mode, tracks }, nowMs)
    const lengthMs = tracks.reduce((sum, track) => sum + durationOf(track), 0)
    return { id, seconds: Math.round(lengthMs / 1000), reason: obstacle && String(obstacle.reason) }
  })
  const minutesLeft = changeMs === null ? null : Math.floor((changeMs - nowMs) / 60_000)
  return { minutesLeft, groups: fits }
}

/** Removes a track from all groups; a renamed one stays, under its new id, in those of its mode. */
export async function replaceInGroups(
  data: Pick<DataStore, 'groups'>,
  trackId: string,
  renamedTo?: { id: string; mode: Mode },
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const concerned = (await data.groups.find()).filter((group) => group.songs.includes(trackId))
    if (concerned.length === 0) return
    for (const group of concerned) {
      const stays = renamedTo?.mode === group.mode && !group.songs.includes(renamedTo.id)
      const songs = group.songs.flatMap((id) => (id !== trackId ? id : stays ? renamedTo.id : []))
      await replaceGroup(data, group, { ...group, songs })
    }
  }
  throw new Error(`groups of ${trackId} not saved: too many concurrent changes`)
}

/** Saves a group by compare-and-set. @throws Failure BAD_REQUEST when the name is taken */
async function replaceGroup(data: Pick<DataStore, 'groups'>, before: Group, after: Group): Promise<boolean> {
  const { id, revision } = before
  const { name, nameKey, mode, songs } = after
  try {
    const change = { name, nameKey, mode, songs, revision: revision + 1 }
    return (await data.groups.update({ id, revision }, change)) > 0
  } catch (error) {
    const isTaken = (await data.groups.find({ nameKey })).some((other) => other.id !== id)
    throw isTaken ? nameTaken() : error
  }
}

async function findGroup(data: Pick<DataStore, 'groups'>, id: string): Promise<Group> {
  const group = await data.groups.get(id)
  if (!group) throw new Failure('NOT_FOUND')
  return group
}

function readName(sent: string): { name: string; nameKey: string } {
  const name = tidyText(sent)
  if (!name) throw new Failure('BAD_REQUEST', { field: 'name', reason: 'missing' })
  if (name.length > MAX_NAME_LENGTH)
    throw new Failure('BAD_REQUEST', { field: 'name', reason: 'length', min: 1, max: MAX_NAME_LENGTH })
  return { name, nameKey: name.toLowerCase() }
}

/** The track ids without duplicates. @throws Failure BAD_REQUEST unless the library of the mode has them all. */
async function readTrackIds(
  data: Pick<DataStore, 'tracks'>,
  mode: Mode,
  sent: readonly string[],
): Promise<string[]> {
  const songs = [...new Set(sent)]
  if (songs.length === 0) throw new Failure('BAD_REQUEST', { field: 'songs', reason: 'no_songs' })
  const tracks = await Promise.all(songs.map((id) => data.tracks.get(id)))
  if (!tracks.every((track) => track?.mode === mode))
    throw new Failure('BAD_REQUEST', { field: 'songs', reason: 'songs_unknown' })
  return songs
}

function nameTaken(): Failure {
  return new Failure('BAD_REQUEST', { field: 'name', reason: 'name_taken' })
}

/** A group may have thousands of tracks, so the log gets counts: all, added, removed. */
function describeChanges(before: Group, after: Group) {
  const changes = changedFields(before, after, ['name', 'mode'])
  const info: Record<string, number> = {}
  if (changedFields(before, after, ['songs']).length > 0) {
    changes.push({ field: 'songs', before: before.songs.length, after: after.songs.length })
    const [old, now] = [new Set(before.songs), new Set(after.songs)]
    info.songsAdded = after.songs.filter((id) => !old.has(id)).length
    info.songsRemoved = before.songs.filter((id) => !now.has(id)).length
  }
  return { changes, info }
}

function preview({ id, title, artist, album, year }: Readonly<Track>): SongPreview {
  return { id, title, artist, album, year }
}
