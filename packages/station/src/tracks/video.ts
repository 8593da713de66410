import { uploads } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { oneLine } from '../core/text.ts'
import { stagedKey } from '../intake/staging.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { JobData } from '../ports/job-queue.ts'
import type { EditableTags } from '../ports/media/audio.ts'
import type { VideoFacts, VideoTools } from '../ports/media/video.ts'
import { isTrackTaken, receiveTrack, type UploadDeps, type UploadedMetadata } from './uploads.ts'

/** Time limits of reading a list and downloading a video. */
export const videoLimits = { listMs: 120_000, downloadMs: 300_000 }
/** Tracks shown of a list. */
export const MAX_LISTED = 100
/** Progress is announced at most this often. */
const TELL_EVERY_MS = 1_000

/** A checked link to a video site. */
export interface VideoLink {
  url: string
  /** Names a list of videos and no single one. */
  isPlaylist: boolean
}

/**
 * Reads a link that an admin pasted. Only https on the default port to the hosts of the video site and their subdomains is
 * accepted, so that nobody makes the server fetch anything else.
 *
 * @param hosts in lower case.
 * @throws Failure BAD_REQUEST
 */
export function readVideoLink(text: string | undefined, hosts: readonly string[]): VideoLink {
  if (!text?.trim()) throw new Failure('BAD_REQUEST', { field: 'url', reason: 'missing' })
  const foreign = new Failure('BAD_REQUEST', { field: 'url', reason: 'link_foreign' })
  if (!URL.canParse(text.trim())) throw foreign
  const url = new URL(text.trim())
  const isOfSite = hosts.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`))
  if (url.protocol !== 'https:' || url.port || url.username || url.password || !isOfSite) throw foreign
  const namesVideo = url.searchParams.has('v') || !/^\/(playlist)?\/?$/.test(url.pathname)
  return { url: url.href, isPlaylist: !namesVideo && url.searchParams.has('list') }
}

/**
 * Reads cookies in the Netscape cookie-jar form that download tools take.
 *
 * @param domain the site that they must belong to.
 * @throws Failure BAD_REQUEST
 */
export function readCookies(text: string | undefined, domain: string): string {
  const cookies = text?.trim() ?? ''
  if (!cookies) throw new Failure('BAD_REQUEST', { field: 'cookies', reason: 'missing' })
  if (!cookies.toLowerCase().includes(domain))
    throw new Failure('BAD_REQUEST', { field: 'cookies', reason: 'cookies_foreign' })
  return `${cookies}\n`
}

/**
 * Imports the sound of a video, which then waits for its commit like an uploaded file. Leaves nothing behind when it throws.
 *
 * @param deps.hosts the video must be on one of these in the end, wherever the link led.
 * @throws Failure as `VideoTools.download` and `receiveTrack`; the reason of `run.stopping`.
 */
export async function importVideo(
  deps: Pick<UploadDeps, 'data' | 'media' | 'tags'> & {
    videoTools: VideoTools
    announcer: Announcer
    hosts: readonly string[]
  },
  { url, mode, actor }: JobData<'import-video'>,
  run: { jobId: string; stopping: AbortSignal; progress(done: number, total: number): Promise<void> },
): Promise<UploadedMetadata> {
  const tell = (state: 'running' | 'done' | 'failed', done: number) =>
    deps.announcer.tell({ adminId: actor.adminId }, 'job_progress', {
      jobId: run.jobId,
      name: 'import-video',
      state,
      done,
      total: 100,
    })
  let toldMs = Number.NEGATIVE_INFINITY
  let filename = ''
  try {
    const metadata = await deps.videoTools.download(
      url,
      {
        async describe(facts) {
          if (facts.isOfList) throw new Failure('BAD_REQUEST', { field: 'url', reason: 'link_playlist' })
          if (facts.url) readVideoLink(facts.url, deps.hosts)
          const tags = tagsOf(facts)
          filename = [tags.artist, tags.title].filter(Boolean).join(' - ').replace(/[/\\]/g, '_')
          if (await isTrackTaken(deps.data, `${mode}/${filename}`)) throw new Failure('FILENAME_EXISTS')
          if (!(await deps.media.hasRoomFor(uploads.uploadTrackFile.body.maxBytes)))
            throw new Failure('DATA_UNAVAILABLE', { reason: 'disk_full' })
          return tags
        },
        progress(share) {
          if (performance.now() - toldMs < TELL_EVERY_MS) return
          toldMs = performance.now()
          const done = Math.floor(share * 100)
          tell('running', done)
          run.progress(done, 100).catch(() => {})
        },
        use: (mp3) => receiveTrack(deps, { mode, filename, content: mp3, attempt: run.jobId }),
      },
      run.stopping,
    )
    if (run.stopping.aborted) await deps.media.delete(stagedKey(metadata.storageKey))
    run.stopping.throwIfAborted()
    tell('done', 100)
    return metadata
  } catch (error) {
    if (!run.stopping.aborted) tell('failed', 0)
    throw error
  }
}

/** The tags that the site has, or else "Artist - Title", as videos are usually called. */
function tagsOf({ title, artist, album, year, publisher }: VideoFacts): EditableTags {
  const [, named = '', called = ''] = (!artist && /^(.+?) [-–—] (.+)$/.exec(title)) || []
  return {
    title: oneLine(called || title) || 'Untitled',
    artist: oneLine(artist || named || publisher.replace(/ - Topic$/, '')),
    album: oneLine(album),
    year,
  }
}
