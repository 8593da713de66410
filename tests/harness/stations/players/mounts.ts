import { adtsFrameBytes, frameBytes } from '@solstice/station'
import type { Test } from 'tap'
import { type followBroadcast, mustBeWhole } from '../station.ts'
import { isWhole } from './hls-player.ts'
import { type Cut, framesWith, openPlayer, pagesOfOgg } from './stream-player.ts'

type Broadcast = Awaited<ReturnType<typeof followBroadcast>>

/** Mounts of a station, as they are heard. */
const mounts: { path: string; type: string; bitrate: string; cut: () => Cut }[] = [
  { path: 'public.mp3', type: 'audio/mpeg', bitrate: '128', cut: () => framesWith(frameBytes) },
  { path: 'public-64.mp3', type: 'audio/mpeg', bitrate: '64', cut: () => framesWith(frameBytes) },
  { path: 'public-64.aac', type: 'audio/aac', bitrate: '64', cut: () => framesWith(adtsFrameBytes) },
  { path: 'public.opus', type: 'audio/ogg', bitrate: '96', cut: pagesOfOgg },
]
/** Their setting. */
export const STREAM_MOUNTS = 'mp3:128,mp3:64,aac:64,opus:96'

/** Plays all mounts from one address, beside what is broadcast on each, in the order of the setting. */
export async function playMounts(t: Test, url: string, broadcasts: Broadcast[]) {
  const listened = mounts.map(({ path, cut, ...told }, i) => ({
    ...told,
    path,
    mount: broadcasts[i]!,
    listening: openPlayer(t, `${url}/api/stream/${path}`, { cut: cut() }),
  }))
  for (const { listening, type, bitrate } of listened) {
    await listening.more(50)
    t.match(listening.head, { server: 'Icecast 2.4.4', 'content-type': type, 'icy-br': bitrate })
    t.match(listening.head, { connection: 'close' })
    t.notOk('transfer-encoding' in listening.head, 'players know no chunks')
  }
  return {
    listened,
    /** Everything heard is the broadcast, without a frame too many or too few. */
    async assertWhole(t: Test) {
      await Promise.all(listened.map(({ listening }) => listening.more(20)))
      const heard = listened.map(({ listening }) => listening.audio)
      await Promise.all(broadcasts.map((mount) => mount.more(4)))
      for (const [i, { listening, mount }] of listened.entries()) {
        if (!isWhole(mount.chunks) && !mustBeWhole(t, mount)) continue
        const told = Buffer.concat(mount.chunks.map((chunk) => chunk.audio))
        t.ok(told.includes(heard[i]!), `${heard[i]!.length} bytes in one piece`)
        for (const { asked, got } of listening.resumed) t.equal(got, asked, 'a player resumes where it was')
      }
    },
  }
}
