import type { Config } from '@solstice/adapters'
import { video } from '@solstice/contracts'
import { Failure, readCookies, readVideoLink, type VideoTools } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../implement.ts'

/** What surrounds taking songs from video links. This version takes none, and says so wherever it is asked. */
export function videoRoutes(
  app: FastifyInstance,
  deps: { config: Pick<Config, 'videoSiteHosts'>; videoTools: VideoTools },
): void {
  const { videoTools } = deps
  const hosts = deps.config.videoSiteHosts

  implement(app, video.getVideoStatus, async () => {
    const { downloader, ffmpeg } = await videoTools.find()
    return { ok: true as const, available: false, videodownAvailable: downloader, ffmpegAvailable: ffmpeg }
  })

  implement(app, video.putVideoCookies, async ({ body }) => {
    await videoTools.keepCookies(readCookies(body.cookies, hosts[0] ?? ''))
    return { ok: true as const }
  })

  implement(app, video.getVideoTracks, ({ body }) => {
    readVideoLink(body.url, hosts)
    throw new Failure('TOOL_UNAVAILABLE')
  })

  implement(app, video.uploadSongUrl, ({ body }) => {
    const link = readVideoLink(body.url, hosts)
    if (link.isPlaylist) throw new Failure('BAD_REQUEST', { field: 'url', reason: 'link_playlist' })
    throw new Failure('TOOL_UNAVAILABLE')
  })
}
