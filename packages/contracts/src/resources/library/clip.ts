import { type Static, Type } from 'typebox'
import { EpochMs, nullable } from '../schema.ts'
import { Mode } from './track.ts'

export const clipFamilyNames = ['jingles', 'phrases', 'background-music'] as const

export type ClipFamily = (typeof clipFamilyNames)[number]

/** A jingle, a phrase or a piece of background music. */
export const Clip = Type.Object({
  id: Type.String(),
  filename: Type.String(),
  mode: Mode,
  duration: nullable(Type.Number({ description: 'seconds' })),
  used: Type.Boolean({ description: 'whether the clip may go on air' }),
  createdAt: EpochMs,
})
export type Clip = Static<typeof Clip>

/** A clip for those who choose one that goes on air. */
export const ClipChoice = Type.Object({
  id: Type.String(),
  filename: Type.String(),
  duration: nullable(Type.Number({ description: 'seconds' })),
})
export type ClipChoice = Static<typeof ClipChoice>

export const ClipResult = Type.Object({
  id: Type.String(),
  ok: Type.Boolean(),
  error: Type.Optional(Type.String({ description: '`not_found` or a message' })),
})
export type ClipResult = Static<typeof ClipResult>
