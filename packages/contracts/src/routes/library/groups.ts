import { Type } from 'typebox'
import { Localized } from '../../localized.ts'
import { SongGroup, SongPreview } from '../../resources/library/group.ts'
import { Mode, TrackId } from '../../resources/library/track.ts'
import { nullable, Offset } from '../../resources/schema.ts'
import { defineRoute, needs } from '../../route.ts'

const ByGroup = Type.Object({ groupId: Type.String({ minLength: 1, maxLength: 100 }) })
const GroupTracks = Type.Array(TrackId, { maxItems: 2_000 })
const Saved = Type.Object({
  ok: Type.Literal(true),
  group: Type.Object({ id: Type.String(), name: Type.String(), mode: Mode, songs: Type.Array(TrackId) }),
  message: Localized,
})
const ID = 'e7f0a3d2-0c0d-4f0e-9f5b-0d7f4b8a1c55'
const TRACK = 'day/Morning Tide.mp3'
const GROUP = { id: ID, name: 'Mornings', mode: 'day', songs: [TRACK] }
const PREVIEW = { id: TRACK, title: 'Morning Tide', artist: 'Hilda', album: 'Shores', year: 2024 }
const message = { uk: 'Групу збережено', en: 'The group is saved' }

export const listGroups = defineRoute({
  method: 'GET',
  path: '/api/admin/song-groups',
  summary: 'Returns all song groups',
  access: 'admin',
  reply: Type.Object({ items: Type.Array(SongGroup) }),
  failures: [],
  example: { reply: { items: [{ ...GROUP, songCount: 1, songsPreview: [PREVIEW] }] } },
})

export const searchGroupLibrary = defineRoute({
  method: 'GET',
  path: '/api/admin/song-groups/library',
  summary: 'Searches the tracks of a mode; every word of `query` must occur in the artist or title',
  access: 'admin',
  query: Type.Object({
    mode: Type.Optional(Type.String({ description: '`day` (default) or `night`' })),
    query: Type.String({ default: '', maxLength: 300 }),
    offset: Offset,
    limit: Type.Integer({ minimum: 1, default: 5, description: 'at most 50' }),
  }),
  reply: Type.Object({
    items: Type.Array(SongPreview),
    total: Type.Integer(),
    offset: Type.Integer(),
    limit: Type.Integer(),
  }),
  failures: ['BAD_REQUEST'],
  example: { query: { query: 'tide' }, reply: { items: [PREVIEW], total: 1, offset: 0, limit: 5 } },
})

export const getGroupFits = defineRoute({
  method: 'GET',
  path: '/api/admin/song-groups/fit',
  summary: 'Returns whether each song group could be queued now, and when the mode on air ends',
  access: 'admin',
  reply: Type.Object({
    minutesLeft: nullable(
      Type.Integer({ description: 'whole minutes until the mode on air ends; null when it does not' }),
    ),
    groups: Type.Array(
      Type.Object({
        id: Type.String(),
        seconds: Type.Integer({ description: 'length of all songs; an unknown one counts as 180' }),
        reason: nullable(
          Type.String({
            description:
              'why it would be refused: `cooldown`, `wrong_mode`, `empty`, `preparing` or `no_time`; null when it fits',
          }),
        ),
      }),
    ),
  }),
  failures: ['AIR_UNAVAILABLE'],
  example: { reply: { minutesLeft: 42, groups: [{ id: ID, seconds: 2880, reason: 'no_time' }] } },
})

export const createGroup = defineRoute({
  method: 'POST',
  path: '/api/admin/song-groups',
  summary: 'Creates a song group',
  access: needs('settings_groups'),
  body: Type.Object({ name: Type.String(), mode: Mode, songs: GroupTracks }),
  reply: Saved,
  failures: ['BAD_REQUEST'],
  example: {
    body: { name: 'Mornings', mode: 'day', songs: [TRACK] },
    reply: { ok: true, group: GROUP, message },
  },
})

export const editGroup = defineRoute({
  method: 'PUT',
  path: '/api/admin/song-groups/:groupId',
  summary: 'Changes the given fields of a song group',
  access: needs('settings_groups'),
  params: ByGroup,
  body: Type.Object({
    name: Type.Optional(Type.String()),
    mode: Type.Optional(Mode),
    songs: Type.Optional(GroupTracks),
  }),
  reply: Saved,
  failures: ['BAD_REQUEST', 'NOT_FOUND'],
  example: { body: { name: 'Early mornings' }, reply: { ok: true, group: GROUP, message } },
})

export const deleteGroup = defineRoute({
  method: 'DELETE',
  path: '/api/admin/song-groups/:groupId',
  summary: 'Deletes a song group; entries already in the queue stay',
  access: needs('settings_groups'),
  params: ByGroup,
  reply: Type.Object({ ok: Type.Literal(true), message: Localized }),
  failures: ['NOT_FOUND'],
  example: { reply: { ok: true, message } },
})

export const insertGroup = defineRoute({
  method: 'POST',
  path: '/api/admin/song-groups/:groupId/insert',
  summary: 'Queues all songs of a group, spreading out each artist',
  access: needs('queue_manage', 'settings_groups'),
  params: ByGroup,
  reply: Type.Object({
    ok: Type.Literal(true),
    insertedCount: Type.Integer(),
    insertedSongIds: Type.Array(TrackId, { description: 'in queue order' }),
    message: Localized,
  }),
  failures: ['QUEUE_GROUP_INSERT_FAILED', 'NOT_FOUND', 'AIR_UNAVAILABLE'],
  example: { reply: { ok: true, insertedCount: 1, insertedSongIds: [TRACK], message } },
})
