import type { FrameChunk, MountId } from '@solstice/station'
import type { Test } from 'tap'
import type { Teardown } from '../../processes/processes.ts'
import { assertPlayedWhole, assertUnbroken, FRAMES, openHlsPlayer } from './hls-player.ts'

/** A mount as it is broadcast. */
interface Broadcast {
  readonly chunks: readonly FrameChunk[]
}

/** Plays the segments of some mounts, each time from the next origin. @param broadcasts followed from before. */
export function playSegments<B extends Broadcast>(
  t: Teardown,
  origins: readonly string[],
  broadcasts: Record<MountId, B>,
) {
  const mounts = Object.entries(broadcasts).map(([id, broadcast]) => {
    const codec = id.startsWith('mp3') ? ('mp3' as const) : ('aac' as const)
    const path = `/api/hls/${id}/live.m3u8`
    return { codec, broadcast, path, player: openHlsPlayer(t, origins, path) }
  })
  return {
    /** Each origin still has the segments that were played last. */
    async assertKept(t: Test): Promise<void> {
      for (const { path, player } of mounts) {
        const { name, bytes } = player.played.at(-1)!
        for (const origin of origins) {
          const answer = await fetch(origin + path.replace('live.m3u8', name))
          t.ok(bytes.equals(Buffer.from(await answer.arrayBuffer())), `${name} is still there`)
        }
      }
    },
    /**
     * Fails unless what was played is the broadcast up to its last whole segment, without a discontinuity.
     *
     * @param mustBeWhole false where a slow machine excuses a mount.
     * @param wallSetMs how the wall clock was set, each time in relation to the beginning.
     */
    async assertWhole(
      t: Test,
      mustBeWhole: (broadcast: B) => boolean = () => true,
      wallSetMs?: readonly number[],
    ): Promise<void> {
      for (const { codec, broadcast, player } of mounts) {
        const { frame, frames } = broadcast.chunks.at(-1)!
        await player.until(Math.floor((frame + frames) / FRAMES[codec]) - 1)
        if (!mustBeWhole(broadcast)) continue
        const stretches = new Set(broadcast.chunks.map(({ stretch }) => stretch?.number))
        t.equal(stretches.size, 1, `${codec}: nothing that the next segment would call a discontinuity`)
        assertPlayedWhole(t, player.played, broadcast.chunks, codec)
        assertUnbroken(t, player.played, wallSetMs)
      }
    },
  }
}
