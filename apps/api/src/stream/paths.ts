import type { Config } from '@solstice/adapters'
import { listening, type PublicConfig } from '@solstice/contracts'
import { codecs, type Mount } from '@solstice/station'

/** The routes of mounts beside the first, by codec. */
export const mountRoutes = {
  mp3: listening.getMp3Mount,
  aac: listening.getAacMount,
  opus: listening.getOpusMount,
} as const

/** The public streams of the station, the usual one first; none in sync mode. */
export function streamPaths({
  streamMode,
  streamBitrate,
  otherMounts,
}: Pick<Config, 'streamMode' | 'streamBitrate' | 'otherMounts'>): PublicConfig['streams'] {
  if (!streamMode) return []
  const { path } = listening.getPublicStream
  return [{ path, format: 'audio/mpeg', bitrate: streamBitrate }, ...otherMounts.map(streamOf)]
}

function streamOf({ codec, bitrate }: Mount): PublicConfig['streams'][number] {
  const path = mountRoutes[codec].path.replace(':bitrate', String(bitrate))
  return { path, format: codecs[codec].contentType, bitrate }
}
