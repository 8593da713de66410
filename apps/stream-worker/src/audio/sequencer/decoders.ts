import { FRAME_SAMPLES, type MediaKey, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import { type Decoder, openDecoder } from '../codec/decoder.ts'
import type { Part } from '../pcm/mixer.ts'
import type { Progress, Sound } from './voice.ts'

const READ_AHEAD_SAMPLES = 4 * SAMPLE_RATE

/** A broadcast that is being closed may still ask. */
const NOT_OPEN: Progress = { phase: 'opening', end: null, ready: 0 }

/** One decoder for each sound that is needed. */
export interface Decoders {
  /** To be called whenever other sounds are needed: opens what is new, and closes what is not named any more. */
  follow(sounds: readonly Sound[]): void
  /** Progress of the decoder of a sound. */
  progressOf(sound: Sound): Progress
  /** The sound's samples from sample `cursor` of the broadcast on, at `to` of the part; silence where there is none. */
  read(sound: Sound, cursor: number, count: number, to: number): Part
  /** Replaces decoders that hang; about every 100 ms, with the ms since the last call. */
  check(elapsedMs: number): void
  /** Process ids of the decoders. */
  readonly pids: number[]
  /** Closes all; resolves when every process is gone. */
  close(): Promise<void>
}

/** @param options.crossfade samples that are decoded further ahead, so that the end is known before they begin. */
export function createDecoders(options: {
  ffmpegPath: string
  source(media: MediaKey): Promise<string>
  crossfade: number
  onProgress(): void
  log: Logger
}): Decoders {
  const { ffmpegPath, crossfade, onProgress, log } = options
  const open = new Map<number, { decoder: Decoder; samples: Int16Array }>()
  const nothing = new Int16Array(FRAME_SAMPLES * 2)
  let isClosed = false
  const closing = new Set<Promise<void>>()

  function start({ media, from, limit }: Sound) {
    const decoder = openDecoder({
      ffmpegPath,
      source: () => options.source(media),
      from,
      limit,
      readAhead: READ_AHEAD_SAMPLES + crossfade,
      onProgress,
      log: log.child({ media }),
    })
    return { decoder, samples: new Int16Array(FRAME_SAMPLES * 2) }
  }

  function follow(sounds: readonly Sound[]) {
    if (isClosed) return
    for (const [id, { decoder }] of open) {
      if (sounds.some((sound) => sound.id === id)) continue
      open.delete(id)
      const closed = decoder.close().finally(() => closing.delete(closed))
      closing.add(closed)
    }
    for (const sound of sounds) {
      if (!open.has(sound.id)) open.set(sound.id, start(sound))
    }
  }

  return {
    follow,
    progressOf: ({ id }) => open.get(id)?.decoder ?? NOT_OPEN,
    read(sound, cursor, count, to) {
      const { id, startsAt, fade, gain } = sound
      const { decoder, samples } = open.get(id) ?? { samples: nothing }
      decoder?.read(cursor - startsAt, count, samples, to)
      return { samples, fade, gain }
    },
    check(elapsedMs) {
      for (const { decoder } of open.values()) decoder.check(elapsedMs)
    },
    get pids() {
      return [...open.values()].map(({ decoder }) => decoder.pid).filter((pid) => pid !== undefined)
    },
    async close() {
      follow([])
      isClosed = true
      await Promise.all(closing)
    },
  }
}
