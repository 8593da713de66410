import { Type } from 'typebox'
import { nullable } from '../resources/schema.ts'
import { bytes, defineRoute, needs } from '../route.ts'

/** Longest piece of the recording that is sent at once. */
export const MAX_AIRCHECK_PIECE_MS = 4 * 60 * 60 * 1000

const Heard = Type.Object({
  frame: Type.Integer({ description: 'number of the first frame of the broadcast' }),
  atMs: Type.Number({ description: 'epoch ms' }),
  kind: Type.Enum(['track', 'jingle', 'live', 'silence']),
  title: Type.String(),
  artist: Type.String(),
  speakers: Type.Array(Type.String(), { description: 'hosts and guests whose microphone was open' }),
  order: nullable(
    Type.Object({
      type: Type.Enum(['donated', 'requested']),
      id: nullable(Type.String({ description: 'the order that was paid' })),
      amount: Type.Optional(
        Type.Number({
          description: 'what was paid, in units of the currency; absent when that is not known',
        }),
      ),
      currency: Type.Optional(Type.String({ description: 'three capital letters' })),
    }),
  ),
})
const Hole = Type.Object({
  atMs: Type.Number({ description: 'epoch ms' }),
  untilMs: Type.Number({ description: 'epoch ms, exclusive' }),
  cause: Type.Enum(['not-recorded', 'off-air'], {
    description: '`off-air`: nothing was broadcast; `not-recorded`: frames are missing',
  }),
})
const TIDE = {
  frame: 5_123_400,
  atMs: 1_790_000_000_000,
  kind: 'track',
  title: 'Morning Tide',
  artist: 'Hilda',
  speakers: [],
  order: null,
} as const

export const getAircheckDay = defineRoute({
  method: 'GET',
  path: '/api/admin/aircheck/:date',
  summary: 'Returns what was recorded on a day: sounds, live shows and holes, in order',
  access: needs('stats'),
  params: Type.Object({
    date: Type.String({
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
      description: "a day in the station's time zone",
    }),
  }),
  reply: Type.Object({
    ok: Type.Literal(true),
    keptDays: Type.Integer({ description: '`AIRCHECK_DAYS`; 0 = the broadcast is not recorded' }),
    timeZone: Type.String(),
    from: Type.Number({ description: 'epoch ms at which the day begins' }),
    until: Type.Number({ description: 'epoch ms at which it ends, exclusive' }),
    heard: Type.Array(Heard),
    holes: Type.Array(Hole, {
      description:
        'up to now; the last seconds, which are not stored yet, are none until they are a minute late',
    }),
    shows: Type.Array(
      Type.Object({
        from: Type.Number({ description: 'epoch ms' }),
        to: Type.Number({ description: 'epoch ms, exclusive' }),
        speakers: Type.Array(Type.String()),
        url: Type.String({ description: 'path of its sound as one file' }),
      }),
      {
        description:
          'times in which people spoke, to their ends, on the day on which they began; pauses of up to five minutes belong to a show',
      },
    ),
  }),
  failures: ['BAD_REQUEST', 'STORAGE_URL_FAILED'],
  example: {
    reply: {
      ok: true,
      keptDays: 30,
      timeZone: 'Europe/Kyiv',
      from: 1_789_938_000_000,
      until: 1_790_024_400_000,
      heard: [TIDE],
      holes: [{ atMs: 1_789_938_000_000, untilMs: 1_790_000_000_000, cause: 'not-recorded' }],
      shows: [
        {
          from: 1_790_000_400_000,
          to: 1_790_004_000_000,
          speakers: ['ada'],
          url: '/api/admin/aircheck/show.mp3?from=1790000400000',
        },
      ],
    },
  },
})

export const getAircheckMoment = defineRoute({
  method: 'GET',
  path: '/api/admin/aircheck/at',
  summary: 'Returns what was on at a moment, as far as it was recorded',
  access: needs('stats'),
  query: Type.Object({ ms: Type.Number({ minimum: 0, maximum: 8e15, description: 'epoch ms' }) }),
  reply: Type.Object({ ok: Type.Literal(true), heard: nullable(Heard), hole: nullable(Hole) }),
  failures: ['BAD_REQUEST', 'STORAGE_URL_FAILED'],
  example: { query: { ms: 1_790_000_060_000 }, reply: { ok: true, heard: TIDE, hole: null } },
})

export const getAircheckSound = defineRoute({
  method: 'GET',
  path: '/api/admin/aircheck/sound.mp3',
  summary:
    'Returns a piece of the recording, cut at frames: at most four hours, holes left out; supports single byte ranges',
  access: needs('stats'),
  query: Type.Object({
    from: Type.Number({ minimum: 0, maximum: 8e15, description: 'epoch ms' }),
    to: Type.Number({ minimum: 0, maximum: 8e15, description: 'epoch ms' }),
    download: Type.Boolean({ default: false, description: 'as a file with a name and ID3 tags' }),
  }),
  headers: Type.Object({ Range: Type.Optional(Type.String({ description: 'for example `bytes=0-65535`' })) }),
  reply: { ...bytes('audio/mpeg', 'The frames or the requested range of them'), hasRanges: true },
  failures: ['BAD_REQUEST', 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE', 'STORAGE_URL_FAILED'],
  example: { query: { from: 1_790_000_000_000, to: 1_790_000_600_000 } },
})

export const getAircheckShow = defineRoute({
  method: 'GET',
  path: '/api/admin/aircheck/show.mp3',
  summary:
    'Returns a live show as a file with ID3 tags, of any length, holes left out; one that goes on, up to now. Supports single byte ranges',
  access: needs('stats'),
  query: Type.Object({
    from: Type.Number({
      minimum: 0,
      maximum: 8e15,
      description: 'epoch ms at which it began, as a day tells it',
    }),
  }),
  headers: Type.Object({ Range: Type.Optional(Type.String({ description: 'for example `bytes=0-65535`' })) }),
  reply: { ...bytes('audio/mpeg', 'The file or the requested range of it'), hasRanges: true },
  failures: ['BAD_REQUEST', 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE', 'STORAGE_URL_FAILED'],
  example: { query: { from: 1_790_000_400_000 } },
})
