import { type TSchema, Type } from 'typebox'

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const EpochMs = Type.Number({ description: 'epoch ms' })

/** Where a page of a list begins; bounded, because a number that is too long is read as infinite. */
export const Offset = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })

export const Text = Type.String({ maxLength: 1_000 })

export const Link = Type.String({ maxLength: 2_000 })

export const StationTimeMs = Type.Integer({ description: 'epoch ms of the station clock' })
