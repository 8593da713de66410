import type { Config } from '@solstice/adapters'
import { video } from '@solstice/contracts'
import {
  Failure,
  type JobData,
  type JobQueue,
  type JobResult,
  MAX_LISTED,
  readCookies,
  readVideoLink,
  timeLimit,
  type VideoTools,
  videoLimits,
} from '@solstice/station'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { implement } from '../../http/implement.ts'

/** A job that started at once reports its own timeout before this one. */
const GRACE_MS = 5_000

/** Tracks from video links. Jobs do the work, for as long as the request is connected. */
export function videoRoutes(
  app: FastifyInstance,
  deps: { config: Pick<Config, 'videoSiteHosts'>; videoTools: VideoTools; jobs: JobQueue },
): void {
  const { videoTools } = deps
  const hosts = deps.config.videoSiteHosts
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())

  /** @throws Failure TOOL_UNAVAILABLE; TOOL_TIMEOUT, also when the job did not start in time; those of the job. */
  const perform = async <N extends 'list-videos' | 'import-video'>(
    name: N,
    job: JobData<N>,
    limitMs: number,
    reply: FastifyReply,
  ): Promise<JobResult<N>> => {
    const { downloader, ffmpeg } = await videoTools.find()
    if (!downloader || (name === 'import-video' && !ffmpeg)) throw new Failure('TOOL_UNAVAILABLE')
    const late = timeLimit(limitMs + GRACE_MS)
    const leaving = AbortSignal.any([whenGone(reply), closing.signal, late])
    return deps.jobs.performWhileConnected(name, job, leaving).catch((error) => {
      if (closing.signal.aborted) throw new Failure('JOBS_UNAVAILABLE')
      throw leaving.aborted ? new Failure('TOOL_TIMEOUT') : error
    })
  }

  implement(app, video.getVideoStatus, async () => {
    const { downloader, ffmpeg } = await videoTools.find()
    return {
      ok: true as const,
      available: downloader && ffmpeg,
      videodownAvailable: downloader,
      ffmpegAvailable: ffmpeg,
    }
  })

  implement(app, video.putVideoCookies, async ({ body }) => {
    await videoTools.keepCookies(readCookies(body.cookies, hosts[0] ?? ''))
    return { ok: true as const }
  })

  implement(app, video.getVideoTracks, async ({ body, reply }) => {
    const { url } = readVideoLink(body.url, hosts)
    const { tracks, total } = await perform('list-videos', { url }, videoLimits.listMs, reply)
    return { ok: true as const, tracks, total, truncated: total > MAX_LISTED }
  })

  implement(app, video.importVideo, async ({ body, caller, reply }) => {
    const { url, isPlaylist } = readVideoLink(body.url, hosts)
    if (isPlaylist) throw new Failure('BAD_REQUEST', { field: 'url', reason: 'link_playlist' })
    const { adminId, login } = caller
    const job = { url, mode: body.mode ?? 'day', actor: { adminId, login } }
    const metadata = await perform('import-video', job, videoLimits.downloadMs, reply)
    return { ok: true as const, storageKey: metadata.storageKey, metadata }
  })
}

/** Aborts when the client disconnects. */
function whenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed || raw.socket?.destroyed) gone.abort()
  raw.once('close', () => gone.abort())
  return gone.signal
}
