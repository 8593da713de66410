import type { Config } from '@solstice/adapters'
import { listening } from '@solstice/contracts'
import { type Mount, type MountId, mountId } from '@solstice/station'

/** A stream at an address. */
export interface StreamSource {
  /** Names it in alarms. */
  source: string
  address: string
  url: string
  mount: Mount
  /** Undefined for the first. */
  id: MountId | undefined
}

/** Names the station itself in alarms. */
export const STATION = 'station'

const routes = { mp3: listening.getMp3Mount, aac: listening.getAacMount, opus: listening.getOpusMount }

type SourceConfig = Pick<Config, 'monitorUrls' | 'streamBitrate' | 'otherMounts'>

/** All streams at all addresses, those of the first mount first. */
export function streamsOf({ monitorUrls, streamBitrate, otherMounts }: SourceConfig): StreamSource[] {
  const first: Mount = { codec: 'mp3', bitrate: streamBitrate }
  const ofFirst = monitorUrls.map((address) => ({
    source: address,
    address,
    url: address + listening.getPublicStream.path,
    mount: first,
    id: undefined,
  }))
  const ofOthers = otherMounts.flatMap((mount) => {
    const path = routes[mount.codec].path.replace(':bitrate', String(mount.bitrate))
    return monitorUrls.map((address) => {
      const url = address + path
      return { source: url, address, url, mount, id: mountId(mount) }
    })
  })
  return [...ofFirst, ...ofOthers]
}

/** The playlists of HLS at all addresses; of mounts that have one. */
export function playlistsOf(config: SourceConfig): { url: string; address: string }[] {
  const first: Mount = { codec: 'mp3', bitrate: config.streamBitrate }
  const packed = [first, ...config.otherMounts].filter(({ codec }) => codec !== 'opus')
  return config.monitorUrls.flatMap((address) =>
    packed.map((mount) => ({
      address,
      url: address + listening.getHlsMount.path.replace(':mount', mountId(mount)),
    })),
  )
}
