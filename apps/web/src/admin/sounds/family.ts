import type { Capability, ClipFamily } from '@solstice/contracts'
import type { ReplyOf } from '../data/routes.ts'

export type Clip = ReplyOf<'GET /api/admin/jingles'>['items'][number]

const MB = 1024 * 1024

/** Differences between the three kinds of clips. */
export const families = {
  jingles: { capability: 'jingles', maxBytes: 80 * MB, maxSeconds: null, perPage: 50 },
  phrases: { capability: 'phrases', maxBytes: 10 * MB, maxSeconds: 5, perPage: 100 },
  'background-music': { capability: 'backgroundMusic', maxBytes: 80 * MB, maxSeconds: null, perPage: 50 },
} as const satisfies Record<
  ClipFamily,
  { capability: Capability; maxBytes: number; maxSeconds: number | null; perPage: number }
>

export const familyNames = Object.keys(families) as ClipFamily[]

/** The station allows this much over the limit, since lengths are measured differently. */
const TOLERANCE_S = 0.25

export const isTooLong = (family: ClipFamily, durationS: number): boolean => {
  const { maxSeconds } = families[family]
  return maxSeconds !== null && durationS > maxSeconds + TOLERANCE_S
}
