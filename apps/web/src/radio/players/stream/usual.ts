import type { PublicConfig } from '@solstice/contracts'

export type Stream = PublicConfig['streams'][number]

/** The stream that every station has, which has another address for pages. */
export const usual: Stream = { path: '/api/stream/public.mp3', format: 'audio/mpeg', bitrate: 0 }
