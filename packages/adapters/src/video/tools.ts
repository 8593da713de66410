import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type EditableTags, type VideoTools, videoLimits } from '@solstice/station'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { FORMATS } from '../process/started-programs.ts'
import { openVideoCookies } from './cookies.ts'
import { readFacts, readList, readProgress } from './descriptions.ts'
import { createDownloader, type DownloadTask, downloading, listing } from './downloader.ts'
import { MAX_ENCODED_BYTES, MAX_SOUND_BYTES, tooLarge, unreadable } from './limits.ts'
import { createProgramLookup, programPath, runProgram } from './programs.ts'

/** Sites do not always say how large a sound is, so the folder is watched. */
const SIZE_CHECK_INTERVAL_MS = 500
/** The download's part of the progress that is shown; the rest is the encoder's. */
const DOWNLOAD_SHARE = 0.9

type Download = Parameters<VideoTools['download']>[1]

/**
 * The programs that import videos: yt-dlp, or one with the same arguments, and ffmpeg. The cookies they may use are shared
 * by all processes through Redis.
 *
 * @param limits how long each may take, ms.
 */
export function openVideoTools(
  config: Pick<Config, 'videodownPath' | 'ffmpegPath' | 'videoSiteHosts' | 'videoAudioBitrate'>,
  redis: Redis,
  log: Logger,
  limits = videoLimits,
): VideoTools {
  const ffmpegPath = programPath(config.ffmpegPath)
  const downloaderPath = programPath(config.videodownPath || 'yt-dlp')
  const isInstalled = createProgramLookup()
  const cookies = openVideoCookies(redis)
  const downloader = createDownloader(downloaderPath, cookies, log)

  /** Encodes a sound as MP3 and returns its path. */
  const encode = async (sound: string, tags: EditableTags, { folder, stopping }: DownloadTask) => {
    const mp3 = join(folder, 'done.mp3')
    const args = encoding(sound, mp3, config.videoAudioBitrate, tags)
    const status = await runProgram(ffmpegPath, args, { folder, stopping, onLine: () => {} })
    if (status !== 0) throw unreadable()
    if ((await stat(mp3)).size > MAX_SOUND_BYTES) throw tooLarge()
    return mp3
  }

  return {
    async find() {
      const [hasDownloader, hasFfmpeg] = await Promise.all([
        isInstalled(downloaderPath, '--version'),
        isInstalled(ffmpegPath, '-version'),
      ])
      return { downloader: hasDownloader, ffmpeg: hasFfmpeg }
    },
    keepCookies: cookies.keep,
    forgetCookies: cookies.forget,

    list: (url, maxTracks, stopping) =>
      downloader.withTask(url, limits.listMs, stopping, async ({ run }) => {
        let printed = ''
        // One more than wanted shows that there are more, where the site does not say how many.
        const isRead = await run([...listing, '--playlist-items', `1:${maxTracks + 1}`], (line) => {
          if (line.startsWith('{')) printed = line
        })
        const list = isRead ? readList(printed, url, config.videoSiteHosts) : null
        if (!list) throw unreadable()
        return { tracks: list.tracks.slice(0, maxTracks), total: list.total }
      }),

    download: (url, { describe, progress, use }, stopping) =>
      downloader.withTask(url, limits.downloadMs, stopping, async (task) => {
        const { sound, tags } = await downloadSound(task, { describe, progress })
        progress(DOWNLOAD_SHARE)
        const mp3 = await encode(sound, tags, task)
        task.stopping.throwIfAborted()
        const content = createReadStream(mp3, { signal: task.stopping })
        content.on('error', () => {})
        return await use(content).finally(() => content.destroy())
      }),
  }
}

/** Downloads the sound while `describe` decides from the first facts whether it is wanted, and under which tags. */
async function downloadSound(
  { folder, refuse, run }: DownloadTask,
  { describe, progress }: Pick<Download, 'describe' | 'progress'>,
): Promise<{ sound: string; tags: EditableTags }> {
  let described: Promise<EditableTags> | null = null
  const onLine = (line: string) => {
    const share = readProgress(line)
    if (share !== null) progress(share * DOWNLOAD_SHARE)
    if (described || !line.startsWith('{')) return
    described = (async () => describe(readFacts(line)))()
    described.catch(refuse)
  }
  const sizeCheck = setInterval(async () => {
    if ((await sizeOf(folder)) > MAX_SOUND_BYTES) refuse(tooLarge())
  }, SIZE_CHECK_INTERVAL_MS)
  const isHere = await run(downloading, onLine).finally(() => clearInterval(sizeCheck))
  const tags = await (described as Promise<EditableTags> | null)
  if (!isHere || !tags) throw unreadable()
  const sound = (await readdir(folder)).find((name) => /^sound\.\w+$/.test(name))
  if (!sound) throw unreadable()
  return { sound: join(folder, sound), tags }
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const sizes = names.map((name) =>
    stat(join(folder, name)).then(
      (file) => file.size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

function encoding(from: string, to: string, bitrate: string, tags: EditableTags): string[] {
  const { year, ...texts } = tags
  const written = { ...texts, ...(year !== null && { date: String(year) }) }
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-y'],
    ...['-protocol_whitelist', 'file', '-format_whitelist', FORMATS, '-i', `file:${from}`],
    ...['-map', '0:a:0', '-map_metadata', '-1', '-vn', '-sn', '-dn'],
    ...['-c:a', 'libmp3lame', '-b:a', bitrate, '-ar', '44100', '-ac', '2', '-id3v2_version', '4'],
    ...Object.entries(written).flatMap(([name, value]) => (value ? ['-metadata', `${name}=${value}`] : [])),
    ...['-fs', String(MAX_ENCODED_BYTES), '-f', 'mp3', `file:${to}`],
  ]
}
