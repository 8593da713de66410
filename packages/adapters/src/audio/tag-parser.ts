import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { serialise } from '@solstice/station'
import { bareEnvironment } from '../process/started-programs.ts'
import type { TagTexts } from './mp3/tag-texts.ts'

/** Ordinary files take some 30 ms. */
const PARSE_TIMEOUT_MS = 2_000
const START_TIMEOUT_MS = 30_000
const MAX_HEAP_MB = 64
/** Enough for ten thousand files; ends a parser that survives this process. */
const MAX_CPU_S = 600

const script = fileURLToPath(new URL('./tag-parser-process.mjs', import.meta.url))

/** Formats whose texts the parser reads at least as well as ffmpeg; it takes those of WAV for Latin-1. */
export type ParsedType = 'audio/mpeg' | 'audio/flac' | 'audio/ogg' | 'audio/mp4' | 'audio/matroska'

/** Reads a file's texts; null when they cannot be read within the limits of time and memory. */
export type TagParser = (path: string, type: ParsedType) => Promise<TagTexts | null>

/**
 * Runs a general parser (music-metadata) in a child process, which lives while files wait for it. Some files would keep it
 * busy for hours or exhaust its memory: it is then killed. A thread would not do, because one that runs out of memory may
 * take the whole process down.
 */
export function openTagParser(parseTimeoutMs = PARSE_TIMEOUT_MS): TagParser {
  let running: Running | null = null
  const inTurn = serialise()
  let waiting = 0

  async function parse(path: string, type: ParsedType): Promise<TagTexts | null> {
    try {
      if (!running) {
        running = start()
        await nextMessage(running, START_TIMEOUT_MS)
      }
      running.child.send({ path, mimeType: type })
      return (await nextMessage(running, parseTimeoutMs)) as TagTexts | null
    } catch {
      await end()
      return null
    }
  }

  async function end(): Promise<void> {
    const ended = running
    running = null
    ended?.child.kill('SIGKILL')
    await ended?.gone
  }

  return (path, type) => {
    waiting++
    return inTurn(() =>
      parse(path, type).finally(() => {
        if (--waiting === 0) return end()
      }),
    )
  }
}

interface Running {
  child: ChildProcess
  /** Resolves when the process has ended. */
  gone: Promise<void>
}

function start(): Running {
  const child = fork(script, {
    // The CPU limit must be set before the program starts: a shell sets it, then becomes the parser.
    execPath: '/bin/sh',
    execArgv: [
      ...['-c', `ulimit -t ${MAX_CPU_S}; exec "$0" "$@"`],
      ...[process.execPath, `--max-old-space-size=${MAX_HEAP_MB}`],
    ],
    env: bareEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve()).on('error', () => resolve())
  })
  return { child, gone }
}

/** @throws when the process ends, or sends nothing in time. */
async function nextMessage({ child, gone }: Running, timeoutMs: number): Promise<unknown> {
  const over = new AbortController()
  const limit = setTimeout(() => over.abort(), timeoutMs)
  gone.then(() => over.abort())
  try {
    return (await once(child, 'message', { signal: over.signal }))[0]
  } finally {
    clearTimeout(limit)
  }
}
