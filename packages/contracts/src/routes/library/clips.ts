import { Type } from 'typebox'
import { Clip, ClipChoice, type ClipFamily, ClipResult } from '../../resources/library/clip.ts'
import { audioTypes, FileName, Mode } from '../../resources/library/track.ts'
import { Offset } from '../../resources/schema.ts'
import { bytes, defineRoute, needs } from '../../route.ts'

const MB = 1024 * 1024

/** Differences of the three clip families on the wire. */
const families = {
  jingles: { one: 'jingle', plural: 'jingles', capability: 'jingles', maxBytes: 80 * MB, mostPerPage: 50 },
  phrases: { one: 'phrase', plural: 'phrases', capability: 'phrases', maxBytes: 10 * MB, mostPerPage: 100 },
  'background-music': {
    one: 'track',
    plural: 'background tracks',
    capability: 'backgroundMusic',
    maxBytes: 80 * MB,
    mostPerPage: 50,
  },
} as const satisfies Record<ClipFamily, object>

/** The key under which a single clip of a family is answered. */
export const clipKey = (family: ClipFamily) => families[family].one
export const mostClipsPerPage = (family: ClipFamily) => families[family].mostPerPage

const ID = '7c1d0e5e-52ab-4d3a-8a86-4e0b8b5f7a10'
const CLIP = {
  id: ID,
  filename: 'Station call.mp3',
  mode: 'day',
  duration: 4.2,
  used: true,
  createdAt: 1_790_000_000_000,
}

/** The same nine routes for each family. */
function clipRoutes<const F extends ClipFamily>(family: F) {
  const { one, plural, capability, maxBytes, mostPerPage } = families[family]
  const path = `/api/admin/${family}` as const
  const access = needs('jingles_uploader')
  const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) })
  const Ids = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 1_000 })
  const Single = Type.Object({ ok: Type.Literal(true), [one]: Clip } as unknown as {
    ok: ReturnType<typeof Type.Literal<true>>
  })
  const Results = Type.Object({ ok: Type.Literal(true), results: Type.Array(ClipResult) })
  const single = { ok: true, [one]: CLIP }
  return {
    list: defineRoute({
      method: 'GET',
      path,
      summary: `Returns the ${plural}, newest first`,
      access,
      capability,
      query: Type.Object({
        mode: Type.Optional(Type.String({ description: '`day` or `night`; anything else means both' })),
        search: Type.Optional(Type.String({ maxLength: 300, description: 'part of the file name' })),
        offset: Offset,
        limit: Type.Integer({ minimum: 1, default: 10, description: `at most ${mostPerPage}` }),
      }),
      reply: Type.Object({ ok: Type.Literal(true), items: Type.Array(Clip), total: Type.Integer() }),
      failures: ['BAD_REQUEST'],
      example: { query: { mode: 'day', limit: 10 }, reply: { ok: true, items: [CLIP], total: 1 } },
    }),
    counts: defineRoute({
      method: 'GET',
      path: `${path}/counts` as const,
      summary: `Counts the ${plural} of each mode and those of them that may go on air`,
      access: 'admin',
      capability,
      reply: Type.Object({
        ok: Type.Literal(true),
        day: Type.Integer(),
        night: Type.Integer(),
        dayUsable: Type.Integer(),
        nightUsable: Type.Integer(),
        minRequired: Type.Integer(),
      }),
      failures: [],
      example: { reply: { ok: true, day: 4, night: 2, dayUsable: 3, nightUsable: 2, minRequired: 3 } },
    }),
    getFile: defineRoute({
      method: 'GET',
      path: `${path}/file` as const,
      summary: 'Returns the audio file, for previews; supports single byte ranges',
      access: 'file',
      capability,
      query: Type.Object({
        mode: Mode,
        filename: Type.String({ minLength: 1, maxLength: 300 }),
        adminToken: Type.Optional(
          Type.String({ description: 'an admin token, or the token of a URL for this file' }),
        ),
      }),
      headers: Type.Object({ Range: Type.Optional(Type.String()) }),
      reply: { ...bytes('audio/mpeg', 'The file or the requested range of it'), hasRanges: true },
      failures: ['BAD_REQUEST', 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
      example: { query: { mode: 'day', filename: 'Station call.mp3' } },
    }),
    getAudio: defineRoute({
      method: 'GET',
      path: `${path}/:id/audio` as const,
      summary: 'Returns a URL of the audio file that needs no headers and is valid for at least 10 minutes',
      access,
      capability,
      params: ById,
      reply: Type.Object({ ok: Type.Literal(true), url: Type.String() }),
      failures: ['NOT_FOUND', 'STORAGE_URL_FAILED'],
      example: {
        reply: { ok: true, url: `https://radio.example${path}/file?mode=day&filename=a.mp3&adminToken=…` },
      },
    }),
    setUsed: defineRoute({
      method: 'POST',
      path: `${path}/:id/used` as const,
      summary: `Sets whether the ${one} may go on air`,
      access,
      capability,
      params: ById,
      body: Type.Optional(Type.Object({ used: Type.Boolean({ default: false }) })),
      reply: Single,
      failures: ['NOT_FOUND', 'BAD_REQUEST'],
      example: { body: { used: true }, reply: single },
    }),
    batchDelete: defineRoute({
      method: 'POST',
      path: `${path}/batch-delete` as const,
      summary: `Deletes several ${plural}; each result says whether it worked`,
      access,
      capability,
      body: Type.Object({ ids: Ids }),
      reply: Results,
      failures: ['BAD_REQUEST', 'JOBS_UNAVAILABLE'],
      example: { body: { ids: [ID] }, reply: { ok: true, results: [{ id: ID, ok: true }] } },
    }),
    batchMove: defineRoute({
      method: 'POST',
      path: `${path}/batch-move` as const,
      summary: `Moves several ${plural} to the other mode; each result says whether it worked`,
      access,
      capability,
      body: Type.Object({ ids: Ids, targetMode: Mode }),
      reply: Results,
      failures: ['BAD_REQUEST', 'JOBS_UNAVAILABLE'],
      example: {
        body: { ids: [ID, 'gone'], targetMode: 'night' },
        reply: {
          ok: true,
          results: [
            { id: ID, ok: true },
            { id: 'gone', ok: false, error: 'not_found' },
          ],
        },
      },
    }),
    checkDuplicate: defineRoute({
      method: 'POST',
      path: `${path}/upload-check-duplicate` as const,
      summary: 'Checks whether the file name is taken in either mode',
      access,
      capability,
      body: Type.Object({ filename: Type.Optional(Type.String({ maxLength: 1_000 })) }),
      reply: Type.Object({ ok: Type.Literal(true), exists: Type.Boolean() }),
      failures: ['BAD_REQUEST'],
      example: { body: { filename: 'Station call.mp3' }, reply: { ok: true, exists: false } },
    }),
    upload: defineRoute({
      method: 'POST',
      path: `${path}/upload` as const,
      summary: `Adds an MP3 of at most ${maxBytes / MB} MB, which may go on air at once`,
      access,
      capability,
      query: Type.Object({ mode: Type.Optional(Type.String({ description: '`day` (default) or `night`' })) }),
      headers: FileName,
      body: { upload: audioTypes, kind: 'mp3', maxBytes, description: 'MP3 bytes' },
      reply: Single,
      failures: ['BAD_REQUEST', 'FILENAME_EXISTS', 'STORAGE_WRITE_FAILED'],
      example: { query: { mode: 'day' }, reply: single },
    }),
  }
}

export const jingles = clipRoutes('jingles')
export const phrases = clipRoutes('phrases')
export const backgroundMusic = clipRoutes('background-music')

export const listJingleChoices = defineRoute({
  method: 'GET',
  path: '/api/admin/jingle-choices',
  summary: 'Returns the jingles of a mode that may go on air, newest first, for those who put one next',
  access: needs('queue_manage'),
  capability: 'jingles',
  query: Type.Object({
    mode: Mode,
    search: Type.Optional(Type.String({ maxLength: 300, description: 'part of the file name' })),
    limit: Type.Integer({ minimum: 1, default: 50, description: 'at most 50' }),
  }),
  reply: Type.Object({ items: Type.Array(ClipChoice), total: Type.Integer() }),
  failures: ['BAD_REQUEST'],
  example: {
    query: { mode: 'day', limit: 10 },
    reply: { items: [{ id: ID, filename: CLIP.filename, duration: CLIP.duration }], total: 1 },
  },
})
