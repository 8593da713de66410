import { type Static, Type } from 'typebox'
import { Mode, OrderType, TrackId } from './library/track.ts'
import { EpochMs, nullable } from './schema.ts'

const Seconds = nullable(Type.Number({ description: 'seconds; null when unknown' }))
const begins = { startsAt: EpochMs, mode: Mode }

/** A part of the programme that is expected. */
export const ForecastItem = Type.Union([
  Type.Object({
    type: Type.Literal('song'),
    ...begins,
    id: TrackId,
    title: Type.String(),
    artist: Type.String(),
    duration: Seconds,
    orderType: OrderType,
    tier: nullable(Type.Integer()),
    isQueued: Type.Boolean({ description: 'stands in the queue already' }),
    phrase: nullable(Type.Object({ id: Type.String(), filename: Type.String(), startsAt: EpochMs })),
  }),
  Type.Object({
    type: Type.Literal('jingle'),
    ...begins,
    id: Type.String(),
    filename: Type.String(),
    duration: Seconds,
  }),
  Type.Object(
    { type: Type.Literal('preparing'), ...begins },
    { description: 'nothing is heard: the mode changes, or has no music' },
  ),
])
export type ForecastItem = Static<typeof ForecastItem>
