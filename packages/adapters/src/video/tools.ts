import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { uploads } from '@solstice/contracts'
import {
  type EditableTags,
  Failure,
  oneLine,
  readVideoLink,
  readYear,
  type VideoFacts,
  type VideoList,
  type VideoTools,
  videoLimits,
  WORKING_COPY,
} from '@solstice/station'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { bareEnvironment, FORMATS } from '../process/started-programs.ts'
import { answered, PREFIX } from '../redis/connection.ts'
import { publicAddresses, withEgressProxy } from './egress-proxy.ts'
import { NOT_FOUND_STATUS, runGuarded } from './guarded-process.ts'

const LOOKED_UP_FOR_MS = 60_000
/** A tool that does not say its version in this time says nothing at all. */
const ANSWER_LIMIT_MS = 10_000
const COOKIES = `${PREFIX}video-cookies`
const COOKIES_TTL_S = 24 * 60 * 60
const COOKIES_HEAD = '# Netscape HTTP Cookie File'
const MB = 1024 * 1024
const MAX_SOUND_BYTES = uploads.uploadSongFile.body.maxBytes
const MAX_PRINTED_BYTES = 16 * MB
const SIZE_CHECK_MS = 500
/** Of the way that is shown, what the download is; the rest is ffmpeg's. */
const DOWNLOAD_SHARE = 0.9

/** Nothing of the operator's own settings and plugins, nothing executed, nothing but the sites that the tool knows. */
const cautious = [
  ...['--ignore-config', '--no-update', '--no-exec', '--no-batch-file', '--no-cookies-from-browser'],
  ...['--no-cache-dir', '--no-mark-watched', '--no-warnings', '--use-extractors', 'default,-generic'],
  ...['--socket-timeout', '20', '--retries', '3', '--fragment-retries', '3', '--extractor-retries', '2'],
]
const listing = ['--yes-playlist', '--flat-playlist', '--skip-download', '--dump-single-json']
const downloading = [
  ...['--no-playlist', '--playlist-items', '1', '--match-filters', '!is_live', '--format', 'bestaudio/best'],
  ...['--max-filesize', String(MAX_SOUND_BYTES), '--downloader', 'native', '--fixup', 'never', '--no-mtime'],
  ...['--abort-on-unavailable-fragments', '--no-simulate', '--dump-json', '--progress', '--newline'],
  '--progress-template',
  'download:got %(progress.downloaded_bytes)s of %(progress.total_bytes)s or %(progress.total_bytes_estimate)s',
  ...['--output', 'sound.%(ext)s'],
]

const unreadable = () => new Failure('BAD_REQUEST', { field: 'url', reason: 'video_unreadable' })
const tooLarge = () =>
  new Failure('BAD_REQUEST', { field: 'url', reason: 'video_large', maxMb: MAX_SOUND_BYTES / MB })

/**
 * The programs that video import takes, yt-dlp or what takes the same arguments, and ffmpeg; and the cookies that they may use,
 * shared by all processes through Redis. What is downloaded comes through `withEgressProxy`.
 *
 * @param limits how long each may take.
 */
export function openVideoTools(
  config: Pick<Config, 'videodownPath' | 'ffmpegPath' | 'videoSiteHosts' | 'videoAudioBitrate'>,
  redis: Redis,
  log: Logger,
  limits = videoLimits,
): VideoTools {
  const { videoSiteHosts } = config
  const ffmpeg = pathOf(config.ffmpegPath)
  const downloader = pathOf(config.videodownPath || 'yt-dlp')
  const lookups = new Map<string, { atMs: number; found: Promise<boolean> }>()
  const isThere = (program: string, flag: string) => {
    const known = lookups.get(program)
    if (known && performance.now() - known.atMs < LOOKED_UP_FOR_MS) return known.found
    const found = promisify(execFile)(program, [flag], {
      timeout: ANSWER_LIMIT_MS,
      killSignal: 'SIGKILL',
      env: environment(tmpdir()),
    }).then(
      () => true,
      () => false,
    )
    lookups.set(program, { atMs: performance.now(), found })
    return found
  }
  const whileRedisAnswers = async (writing: () => Promise<unknown>) => {
    if (redis.status !== 'ready') throw new Failure('AIR_UNAVAILABLE')
    await answered(redis, writing()).catch(() => {
      throw new Failure('AIR_UNAVAILABLE')
    })
  }

  const run = async (program: string, args: string[], options: RunOptions) => {
    const env = environment(options.folder)
    const status = await runGuarded(program, args, { maxBytes: MAX_PRINTED_BYTES, env, ...options })
    if (status === NOT_FOUND_STATUS) throw new Failure('TOOL_UNAVAILABLE')
    return status
  }

  /** In a folder of its own, which is gone afterwards, within its time and in reach of nothing but the public web. */
  const withTool = async <T>(
    url: string,
    limitMs: number,
    stopping: AbortSignal,
    use: (tool: {
      folder: string
      stopping: AbortSignal
      refuse(why: unknown): void
      run: Run
    }) => Promise<T>,
  ): Promise<T> => {
    await publicAddresses(new URL(url).hostname).catch(() => {
      throw unreadable()
    })
    const folder = await mkdtemp(join(tmpdir(), `${WORKING_COPY}video-`))
    const late = AbortSignal.timeout(limitMs)
    const refusing = new AbortController()
    const ending = AbortSignal.any([stopping, late, refusing.signal])
    try {
      const cookies = await answered(redis, redis.get(COOKIES)).catch(() => null)
      const jar = join(folder, 'cookies.txt')
      if (cookies) await writeFile(jar, asJar(cookies), { mode: 0o600, flag: 'wx' })
      return await withEgressProxy((proxy) =>
        use({
          folder,
          stopping: ending,
          refuse: (why) => refusing.abort(why),
          async run(args, onLine) {
            let complaint = ''
            const given = [...cautious, '--proxy', proxy, ...(cookies ? ['--cookies', jar] : []), ...args]
            const status = await run(downloader, [...given, '--', url], {
              folder,
              stopping: ending,
              onLine(line) {
                if (line.startsWith('ERROR: ')) complaint = line.slice(0, 300)
                else onLine(line)
              },
            })
            // It writes cookies back, and nobody needs them any more.
            await rm(jar, { force: true })
            if (status !== 0) log.info({ status, complaint }, 'a video could not be had')
            return status === 0
          },
        }),
      )
    } catch (error) {
      stopping.throwIfAborted()
      if (late.aborted) throw new Failure('TOOL_TIMEOUT')
      if (refusing.signal.aborted) throw refusing.signal.reason
      throw error
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }

  return {
    async find() {
      const [hasDownloader, hasFfmpeg] = await Promise.all([
        isThere(downloader, '--version'),
        isThere(ffmpeg, '-version'),
      ])
      return { downloader: hasDownloader, ffmpeg: hasFfmpeg }
    },
    keepCookies: (cookies) => whileRedisAnswers(() => redis.set(COOKIES, cookies, 'EX', COOKIES_TTL_S)),
    forgetCookies: () => whileRedisAnswers(() => redis.del(COOKIES)),

    list: (url, maxTracks, stopping) =>
      withTool(url, limits.listMs, stopping, async ({ run }) => {
        let printed = ''
        // One more shows that there are more, where the site does not say how many.
        const isRead = await run([...listing, '--playlist-items', `1:${maxTracks + 1}`], (line) => {
          if (line.startsWith('{')) printed = line
        })
        const list = isRead ? readList(printed, url, videoSiteHosts) : null
        if (!list) throw unreadable()
        return { tracks: list.tracks.slice(0, maxTracks), total: list.total }
      }),

    download: (url, { describe, progress, use }, stopping) =>
      withTool(url, limits.downloadMs, stopping, async ({ folder, stopping, refuse, run: runTool }) => {
        let described: Promise<EditableTags> | null = null
        const onLine = (line: string) => {
          const share = shareIn(line)
          if (share !== null) progress(share * DOWNLOAD_SHARE)
          if (described || !line.startsWith('{')) return
          described = describeAll(line, describe)
          described.catch(refuse)
        }
        const sizes = setInterval(async () => {
          if ((await sizeOf(folder)) > MAX_SOUND_BYTES) refuse(tooLarge())
        }, SIZE_CHECK_MS)
        const isHere = await runTool(downloading, onLine).finally(() => clearInterval(sizes))
        const tags = await (described as Promise<EditableTags> | null)
        if (!isHere || !tags) throw unreadable()
        const sound = (await readdir(folder)).find((name) => /^sound\.\w+$/.test(name))
        if (!sound) throw unreadable()

        progress(DOWNLOAD_SHARE)
        const mp3 = join(folder, 'done.mp3')
        const args = encoding(join(folder, sound), mp3, config.videoAudioBitrate, tags)
        const status = await run(ffmpeg, args, { folder, stopping, onLine: () => {} })
        if (status !== 0) throw unreadable()
        if ((await stat(mp3)).size > MAX_SOUND_BYTES) throw tooLarge()
        stopping.throwIfAborted()
        const content = createReadStream(mp3, { signal: stopping })
        content.on('error', () => {})
        return await use(content).finally(() => content.destroy())
      }),
  }
}

type Run = (args: string[], onLine: (line: string) => void) => Promise<boolean>
type RunOptions = Pick<Parameters<typeof runGuarded>[2], 'folder' | 'stopping' | 'onLine'>

/** A program is started in another folder than ours. */
function pathOf(program: string): string {
  return program.includes(sep) ? resolve(program) : program
}

function environment(folder: string): Record<string, string> {
  return {
    ...bareEnvironment(),
    HOME: folder,
    TMPDIR: folder,
    LANG: 'C.UTF-8',
    XDG_CONFIG_HOME: folder,
    XDG_CACHE_HOME: folder,
    YTDLP_NO_PLUGINS: '1',
  }
}

/** The tool takes no jar without its first line. */
function asJar(cookies: string): string {
  return cookies.startsWith('# ') ? cookies : `${COOKIES_HEAD}\n${cookies}`
}

/** @throws Failure when it is already known that the sound is too large. */
async function describeAll(
  line: string,
  describe: (facts: VideoFacts) => Promise<EditableTags>,
): Promise<EditableTags> {
  const info = readObject(line)
  if (!info) throw unreadable()
  if (Number(info.filesize ?? info.filesize_approx ?? 0) > MAX_SOUND_BYTES) throw tooLarge()
  return describe({
    title: oneLine(textOf(info.track) || textOf(info.title)),
    artist: oneLine(textOf(info.artist) || textOf(info.creator)),
    album: oneLine(textOf(info.album)),
    year: readYear(Number(info.release_year) || null),
    publisher: oneLine(textOf(info.uploader) || textOf(info.channel)),
    url: textOf(info.webpage_url),
    isOfList: Boolean(info.playlist),
  })
}

function readList(line: string, asked: string, hosts: readonly string[]): VideoList | null {
  const info = readObject(line)
  if (!info) return null
  const isList = Array.isArray(info.entries)
  const entries = isList ? (info.entries as (Record<string, unknown> | null)[]) : [info]
  const tracks = entries.flatMap((entry) => {
    // The address of a single video without a page is that of its sound.
    const link = textOf(entry?.webpage_url) || (isList ? textOf(entry?.url) : asked)
    try {
      const { url, isPlaylist } = readVideoLink(link, hosts)
      return isPlaylist ? [] : [{ url, title: oneLine(textOf(entry?.title)) || url }]
    } catch {
      return []
    }
  })
  if (!isList && tracks.length === 0) return null
  return { tracks, total: Math.max(tracks.length, Math.trunc(Number(info.playlist_count)) || 0) }
}

function readObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** How much of the download is there, 0 to 1, from a line that tells of it. */
function shareIn(line: string): number | null {
  const [, got, total, estimate] = /^got ([\d.]+) of (\S+) or (\S+)$/.exec(line) ?? []
  const whole = Number(total) || Number(estimate)
  return got && whole > 0 ? Math.min(1, Number(got) / whole) : null
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
    // What is cut off here is refused afterwards.
    ...['-fs', String(MAX_SOUND_BYTES + MB), '-f', 'mp3', `file:${to}`],
  ]
}
