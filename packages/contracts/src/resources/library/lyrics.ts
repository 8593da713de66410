import { type Static, Type } from 'typebox'

export const LyricsEntry = Type.Object({
  synced: Type.Boolean(),
  lines: Type.Array(Type.Object({ time: Type.Number(), text: Type.String() })),
  notFound: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.String()),
  fetchedAt: Type.Optional(Type.Number({ description: 'epoch ms' })),
})
export type LyricsEntry = Static<typeof LyricsEntry>

export const LyricsStatus = Type.Union([Type.Literal('synced'), Type.Literal('plain'), Type.Literal('none')])
export type LyricsStatus = Static<typeof LyricsStatus>

/** Lyrics as clients send them: lines of plain lyrics may come as strings, and what was not found has none. */
export const LyricsInput = Type.Object({
  synced: Type.Optional(Type.Boolean()),
  lines: Type.Optional(
    Type.Array(
      Type.Union([
        Type.Object({
          time: Type.Number({ minimum: 0, maximum: 86_400 }),
          text: Type.String({ maxLength: 2_000 }),
        }),
        Type.String({ maxLength: 2_000 }),
      ]),
      { maxItems: 5_000 },
    ),
  ),
  notFound: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.String({ maxLength: 100 })),
  fetchedAt: Type.Optional(Type.Number({ minimum: 0, maximum: 8.64e15, description: 'epoch ms' })),
})
export type LyricsInput = Static<typeof LyricsInput>

/** One track of a lyrics batch. */
export const LyricsBatchResult = Type.Object({
  songId: Type.String(),
  outcome: Type.Union([
    Type.Literal('saved'),
    Type.Literal('kept'),
    Type.Literal('not_found'),
    Type.Literal('failed'),
  ]),
  before: LyricsStatus,
  after: LyricsStatus,
  error: Type.Optional(Type.String({ description: 'failure code' })),
})
export type LyricsBatchResult = Static<typeof LyricsBatchResult>
