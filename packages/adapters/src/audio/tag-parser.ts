import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { serialise } from '@solstice/station'
import { bareEnvironment } from '../process/started-programs.ts'
import type { TagTexts } from './tag-texts.ts'

/** Ordinary files take some 30 ms. */
const PARSE_LIMIT_MS = 2_000
const START_LIMIT_MS = 30_000
const MAX_HEAP_MB = 64
/** Enough for ten thousand files; what is left over when we die ends by it. */
const MAX_CPU_S = 600

const script = fileURLToPath(new URL('./tag-parser-process.mjs', import.meta.url))

/** Formats whose texts the parser reads at least as well as ffmpeg; those of WAV it takes for Latin-1. */
export type ParsedType = 'audio/mpeg' | 'audio/flac' | 'audio/ogg' | 'audio/mp4' | 'audio/matroska'

/** Reads a file's texts; null when nothing can be said of it, or not within the time and memory that it is worth. */
export type TagParser = (path: string, type: ParsedType) => Promise<TagTexts | null>

/**
 * Starts a general parser (music-metadata) in a process of its own, which lives while files wait for it. Some files keep
 * it busy for hours, or use up its memory: it is then killed, and nothing else is held up. A thread would not do, because
 * one that runs out of memory may take the whole process with it.
 */
export function openTagParser(parseLimitMs = PARSE_LIMIT_MS): TagParser {
  let running: Running | null = null
  const inTurn = serialise()
  let waiting = 0

  async function parse(path: string, type: ParsedType): Promise<TagTexts | null> {
    try {
      if (!running) {
        running = start()
        await nextMessage(running, START_LIMIT_MS)
      }
      running.child.send({ path, mimeType: type })
      return (await nextMessage(running, parseLimitMs)) as TagTexts | null
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
    // A shell, because only one that has not begun yet can be told how long it may compute; it becomes the parser.
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

/** @throws when the process ends, or says nothing for that long. */
async function nextMessage({ child, gone }: Running, limitMs: number): Promise<unknown> {
  const over = new AbortController()
  const limit = setTimeout(() => over.abort(), limitMs)
  gone.then(() => over.abort())
  try {
    return (await once(child, 'message', { signal: over.signal }))[0]
  } finally {
    clearTimeout(limit)
  }
}
