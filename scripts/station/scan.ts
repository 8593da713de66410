import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  audioTags,
  type Config,
  openAnnouncer,
  openData,
  openJobQueue,
  openJsonData,
  reachRedis,
  readClusterStatus,
} from '@solstice/adapters'
import {
  type Announcer,
  type AudioTags,
  clipMedia,
  type DataStore,
  Failure,
  type Log,
  libraryChanged,
  type MediaStorage,
  reconcile,
  reconcileClips,
} from '@solstice/station'
import { openIfThere, openMediaIfThere, placeOfMedia, readStation, silent } from './configuration.ts'
import { connectAir, redisOf } from './running.ts'
import { plural, Refusal, say } from './terminal.ts'

/** Creates records for files that have none, as a station with local files does at its start. */
export async function scan(
  args: { 'dry-run': boolean; 'remove-most': boolean },
  signal: AbortSignal,
): Promise<void> {
  const config = readStation()
  const how: How = {
    confirmTrackCleanup: args['remove-most'] ? 'most' : config.confirmTrackCleanup,
    tags: audioTags(config.ffmpegPath),
  }
  const isDryRun = args['dry-run']
  const media = await openMediaIfThere(config)
  if (!media) throw new Refusal(`there is no folder ${config.mediaDir} (MEDIA_DIR)`)
  signal.throwIfAborted()
  const data = isDryRun ? await openIfThere(config) : await openData(config, silent)
  const air = isDryRun ? silentAir : await reachAir(config)
  try {
    say(placeOfMedia(config))
    if (data && !isDryRun) {
      if (await register(how, data, media, air, signal)) await libraryChanged({ ...air, log: silent })
      return
    }
    await rehearse(data, async (copy) => {
      await register(how, copy, { ...media, sweep: async () => {} }, air, signal)
    })
    say('dry run: nothing was changed')
  } finally {
    await Promise.all([air.close(), data?.close(), media.close()])
  }
}

interface How {
  confirmTrackCleanup: boolean | 'most'
  tags: AudioTags
}

type Air = Omit<
  Parameters<typeof reconcileClips>[0],
  'data' | 'media' | 'tags' | 'log' | 'confirmTrackCleanup'
> & {
  jobs: Parameters<typeof libraryChanged>[0]['jobs']
  close(): Promise<void>
}

const loud: Log = {
  info() {},
  warn(details, text) {
    const { key, mode, examples } = details as { key?: string; mode?: string; examples?: string[] }
    say(`${text}: ${key ?? examples?.join(', ') ?? mode ?? ''}`)
  },
}

/** True when tracks were added or removed. */
async function register(
  { confirmTrackCleanup, tags }: How,
  data: DataStore,
  media: MediaStorage,
  air: Air,
  signal: AbortSignal,
): Promise<boolean> {
  const kept = async () => ({
    tracks: new Map(
      (await data.tracks.find()).map((track) => [track.id, `${track.artist} – ${track.title}`]),
    ),
    clips: new Map((await data.clips.find()).map((clip) => [clipMedia(clip), clip.family as string])),
    arts: new Map(
      (await data.artists.find({ hasArt: true })).map((one) => [`arts/${one.artFileName}`, one.artist]),
    ),
  })
  const common = { data, media, tags, log: loud }
  const before = await kept()
  // Everything added so far is complete.
  const isInterrupted = once(signal, 'abort').then(() => signal.throwIfAborted())
  const reconciled = reconcile({ ...common, confirmTrackCleanup }).then(({ missing }) =>
    reconcileClips({
      ...common,
      ...air,
      confirmTrackCleanup: confirmTrackCleanup !== false && missing === 0,
    }),
  )
  await Promise.race([reconciled, isInterrupted])
  const after = await kept()
  for (const kind of ['tracks', 'clips', 'arts'] as const) {
    const added = [...after[kind]].filter(([key]) => !before[kind].has(key))
    const removed = [...before[kind]].filter(([key]) => !after[kind].has(key))
    for (const [key, about] of added) say(`+ ${key} (${about})`)
    for (const [key, about] of removed) say(`- ${key} (${about})`)
    say(`${kind}: ${plural(added.length, 'record')} added, ${removed.length} removed`)
  }
  return (
    before.tracks.size !== after.tracks.size || [...after.tracks.keys()].some((id) => !before.tracks.has(id))
  )
}

/** Runs a function on a temporary copy of the records. */
async function rehearse(data: DataStore | null, act: (copy: DataStore) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'solstice-scan-'))
  try {
    const copy = await openJsonData(folder)
    if (data)
      await Promise.all([
        copy.tracks.replaceAll(await data.tracks.contents()),
        copy.artists.replaceAll(await data.artists.contents()),
        copy.clips.replaceAll(await data.clips.contents()),
      ])
    await act(copy).finally(() => copy.close())
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** For a station that is off air: it reads its records at its next start. */
const silentAir: Air = {
  bus: {
    async send() {
      throw new Failure('AIR_UNAVAILABLE')
    },
  },
  announcer: { announce() {}, tell() {}, accountChanged() {}, settingsChanged() {} } satisfies Announcer,
  clock: { nowMs: () => Date.now(), aheadMs: () => 0 },
  jobs: { add: async () => '' },
  close: async () => {},
}

async function reachAir(config: Config): Promise<Air> {
  const url = await redisOf(config)
  const asked = await reachRedis(url)
  const isOnAir = asked !== null && (await readClusterStatus(asked)).isOnAir
  asked?.disconnect()
  if (!isOnAir) return silentAir
  const air = await connectAir(url)
  const jobs = openJobQueue(url, silent)
  return {
    ...air,
    announcer: openAnnouncer(air.redis),
    jobs,
    async close() {
      await jobs.close()
      await air.close()
    },
  }
}
