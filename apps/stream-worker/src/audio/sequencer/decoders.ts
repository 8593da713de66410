import { FRAME_SAMPLES, type MediaKey, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import { type Decoder, openDecoder } from '../codec/decoder.ts'
import type { Part } from '../pcm/mixer.ts'
import type { Progress, Sound } from './voice.ts'

const READ_AHEAD_SAMPLES = 4 * SAMPLE_RATE

/** Stands in for unknown sounds: a closing broadcast may still ask. */
const NOT_OPEN: Progress = { phase: 'opening', end: null, ready: 0 }

/** One decoder for each sound in use. */
export interface Decoders {
  /** Sets the sounds in use: opens decoders for new ones and closes those no longer listed. */
  follow(sounds: readonly Sound[]): void
  /** Returns the progress of a sound's decoder. */
  progressOf(sound: Sound): Progress
  /** The sound's samples from sample `cursor` of the broadcast, placed at `to` of the part; silence where there are none. */
  read(sound: Sound, cursor: number, count: number, to: number): Part
  /** Replaces hanging decoders. Call it about every 100 ms with the ms since the last call. */
  check(elapsedMs: number): void
  /** Process ids of the decoders. */
  readonly pids: number[]
  /** Closes all decoders and resolves when every process is gone. */
  close(): Promise<void>
}

/** @param options.crossfade extra samples to decode ahead, so that the end is known before the crossfade begins. */
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
