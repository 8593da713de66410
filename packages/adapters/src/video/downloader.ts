import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure, timeLimit, WORKING_COPY } from '@solstice/station'
import type { Logger } from 'pino'
import type { VideoCookies } from './cookies.ts'
import { progressTemplate } from './descriptions.ts'
import { publicAddresses, withEgressProxy } from './egress-proxy.ts'
import { MAX_SOUND_BYTES, unreadable } from './limits.ts'
import { runProgram } from './programs.ts'

/** No settings or plugins of the operator, nothing executed, no sites but those that the tool knows. */
const safeguards = [
  ...['--ignore-config', '--no-update', '--no-exec', '--no-batch-file', '--no-cookies-from-browser'],
  ...['--no-cache-dir', '--no-mark-watched', '--no-warnings', '--use-extractors', 'default,-generic'],
  ...['--socket-timeout', '20', '--retries', '3', '--fragment-retries', '3', '--extractor-retries', '2'],
]
/** Prints the entries of a playlist, or the one video, without downloading anything. */
export const listing = ['--yes-playlist', '--flat-playlist', '--skip-download', '--dump-single-json']
/** Downloads the sound of one video as `sound.<format>`. */
export const downloading = [
  ...['--no-playlist', '--playlist-items', '1', '--match-filters', '!is_live', '--format', 'bestaudio/best'],
  ...['--max-filesize', String(MAX_SOUND_BYTES), '--downloader', 'native', '--fixup', 'never', '--no-mtime'],
  ...['--abort-on-unavailable-fragments', '--no-simulate', '--dump-json', '--progress', '--newline'],
  ...['--progress-template', progressTemplate, '--output', 'sound.%(ext)s'],
]

/** The downloader, ready to run on one link in a folder that is removed afterwards. */
export interface DownloadTask {
  folder: string
  /** Aborted when the task is stopped, late or refused. */
  stopping: AbortSignal
  /** Ends the task, which then throws `why`. */
  refuse(why: unknown): void
  /** Runs the downloader on the link; false when it failed. */
  run(args: string[], onLine: (line: string) => void): Promise<boolean>
}

export interface Downloader {
  /** @throws Failure BAD_REQUEST of `url`, TOOL_UNAVAILABLE, TOOL_TIMEOUT; what `use` throws; the reason of `stopping`. */
  withTask<T>(
    url: string,
    timeoutMs: number,
    stopping: AbortSignal,
    use: (task: DownloadTask) => Promise<T>,
  ): Promise<T>
}

/** Runs yt-dlp, or a program with the same arguments, guarded and behind the egress proxy. */
export function createDownloader(program: string, cookies: VideoCookies, log: Logger): Downloader {
  /** One run with a cookie jar, which is removed: the program writes cookies back into it. */
  const runOn = async (
    url: string,
    args: string[],
    { folder, stopping, onLine }: Pick<DownloadTask, 'folder' | 'stopping'> & { onLine(line: string): void },
    jar: string,
  ) => {
    let complaint = ''
    const status = await runProgram(program, [...safeguards, ...args, '--', url], {
      folder,
      stopping,
      onLine(line) {
        if (line.startsWith('ERROR: ')) complaint = line.slice(0, 300)
        else onLine(line)
      },
    })
    await rm(jar, { force: true })
    if (status !== 0) log.info({ status, complaint }, 'video download failed')
    return status === 0
  }

  return {
    async withTask(url, timeoutMs, stopping, use) {
      await publicAddresses(new URL(url).hostname).catch(() => {
        throw unreadable()
      })
      const folder = await mkdtemp(join(tmpdir(), `${WORKING_COPY}video-`))
      const late = timeLimit(timeoutMs)
      const refusing = new AbortController()
      const ending = AbortSignal.any([stopping, late, refusing.signal])
      try {
        const content = await cookies.jar()
        const jar = join(folder, 'cookies.txt')
        if (content) await writeFile(jar, content, { mode: 0o600, flag: 'wx' })
        return await withEgressProxy((proxy) => {
          const network = ['--proxy', proxy, ...(content ? ['--cookies', jar] : [])]
          return use({
            folder,
            stopping: ending,
            refuse: (why) => refusing.abort(why),
            run: (args, onLine) =>
              runOn(url, [...network, ...args], { folder, stopping: ending, onLine }, jar),
          })
        })
      } catch (error) {
        stopping.throwIfAborted()
        if (late.aborted) throw new Failure('TOOL_TIMEOUT')
        if (refusing.signal.aborted) throw refusing.signal.reason
        throw error
      } finally {
        await rm(folder, { recursive: true, force: true, maxRetries: 5 })
      }
    },
  }
}
