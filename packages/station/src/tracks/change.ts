import type { Audit } from '../accounts/audit.ts'
import { lyricsKey } from '../core/keys.ts'
import { sendCommand } from '../core/outcome.ts'
import type { DeleteQuota } from '../ports/accounts.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus, WallClock } from '../ports/bus.ts'
import type { DataStore } from '../ports/data/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import type { Leases } from '../ports/leases.ts'
import type { Log } from '../ports/log.ts'
import type { AudioTags } from '../ports/media/audio.ts'
import type { MediaStorage } from '../ports/media/media-storage.ts'

export interface EditorDeps {
  data: DataStore
  media: MediaStorage
  tags: AudioTags
  bus: Pick<Bus, 'send'>
  announcer: Announcer
  jobs: Pick<JobQueue, 'add'>
  audit: Audit
  clock: WallClock
  leases: Leases
  deleteQuota: DeleteQuota
  log: Log
}

/** Asks the worker to let go of a track. @returns entries removed from the queue. @throws Failure TRACK_LOCKED, AIR_UNAVAILABLE */
export async function release(
  { bus }: Pick<EditorDeps, 'bus'>,
  trackId: string,
  purpose: 'edit' | 'remove',
): Promise<number> {
  return (await sendCommand(bus, { type: 'release-track', trackId, purpose })).removed
}

/** Deletes lyrics and offsets that no track uses any more. */
export async function deleteUnusedLyrics(
  { data }: Pick<EditorDeps, 'data'>,
  names: readonly { artist: string; title: string }[],
): Promise<void> {
  const used = new Set((await data.tracks.find()).map(({ artist, title }) => lyricsKey(artist, title)))
  const keys = names.map(({ artist, title }) => lyricsKey(artist, title)).filter((key) => !used.has(key))
  if (keys.length === 0) return
  const unused = new Set(keys)
  await Promise.all([
    data.lyrics.delete(({ key }) => unused.has(key)),
    data.offsets.delete(({ key }) => unused.has(key)),
  ])
}
