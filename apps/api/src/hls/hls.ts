import type { Config, HlsListeners } from '@solstice/adapters'
import { Failure, type MountId, mountId, type WallClock } from '@solstice/station'
import { type AirMirror, mountsOf } from '../stream/mirror.ts'
import { createCutter, etagOf, type HlsSegment, type PackedMount, SEGMENT_MS } from './cutter.ts'
import { type KeptSegments, keepSegments } from './kept-segments.ts'
import { countPlaylistListeners, type PlaylistListeners } from './listeners.ts'
import { isPacked, masterPlaylist, mediaPlaylist } from './playlists.ts'

/** Without a new segment for so long a playlist has nothing that is current. */
const STALE_MS = 60_000

/** The broadcast as playlists and segments, cut at frame numbers. */
export interface Hls {
  /** @throws {Failure} STREAM_NOT_READY without sound. */
  master(listener: string): string
  /** @throws {Failure} NOT_FOUND for a mount that the station does not have, STREAM_NOT_READY without sound. */
  playlist(mount: string): { text: string; etag: string }
  /** @throws {Failure} NOT_FOUND for a mount or a segment that is not there. */
  segment(mount: string, number: number): Promise<HlsSegment>
  readonly listeners: PlaylistListeners
  close(): void
}

interface HlsMount {
  mount: PackedMount
  segments: KeptSegments
  /** Made once per segment, for all who ask, and anew when the clock is set. */
  playlist: { of: HlsSegment; aheadMs: number; text: string; etag: string } | null
}

export function openHls(deps: {
  mirror: AirMirror
  clock: WallClock
  config: Pick<Config, 'streamMode' | 'streamBitrate'>
  hlsListeners: HlsListeners
}): Hls {
  const { clock, config, hlsListeners } = deps
  const mounts = new Map<string, HlsMount>()
  for (const { mount, mirror } of mountsOf(deps.mirror, config)) {
    if (!isPacked(mount)) continue
    const segments = keepSegments()
    const cut = createCutter(mount)
    mirror.onChunk(({ chunk }) => {
      for (const segment of cut(chunk)) segments.add(segment)
    })
    mounts.set(mountId(mount), { mount, segments, playlist: null })
  }
  const isCurrent = ({ segments: { newest } }: HlsMount) =>
    newest !== null && clock.nowMs() - newest.atMs - SEGMENT_MS < STALE_MS
  const find = (id: string) => {
    const found = mounts.get(id)
    if (!found) throw new Failure('NOT_FOUND')
    return found
  }
  const counted = config.streamMode ? ([...mounts.keys()] as MountId[]) : []
  const listeners = countPlaylistListeners(counted, hlsListeners)

  return {
    master(listener) {
      const current = [...mounts.values()].filter(isCurrent)
      if (current.length === 0) throw new Failure('STREAM_NOT_READY')
      return masterPlaylist(
        current.map(({ mount }) => mount),
        listener,
      )
    },
    playlist(id) {
      const found = find(id)
      if (!isCurrent(found)) throw new Failure('STREAM_NOT_READY')
      const newest = found.segments.newest!
      const aheadMs = clock.aheadMs()
      if (found.playlist?.of !== newest || found.playlist.aheadMs !== aheadMs) {
        const text = mediaPlaylist(found.mount, found.segments.listed(), aheadMs)
        found.playlist = { of: newest, aheadMs, text, etag: etagOf(text) }
      }
      return found.playlist
    },
    async segment(id, number) {
      const segment = await find(id).segments.whenThere(number)
      if (!segment) throw new Failure('NOT_FOUND')
      return segment
    },
    listeners,
    close: () => listeners.close(),
  }
}
