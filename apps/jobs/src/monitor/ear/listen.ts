import type { IncomingMessage } from 'node:http'
import { codecs, type Mount } from '@solstice/station'
import type { Broadcast } from '../broadcast.ts'
import { type Heard, type Missing, RESERVE_MS } from '../judge.ts'
import { keepConnected } from './connection.ts'
import { startDecoder } from './decoder.ts'
import { createFrameFollower } from './frames.ts'
import { createRecentSound, type RecentSound } from './recent-sound.ts'
import { createRepetitionFinder, type Repetition } from './repetition.ts'
import { createSoundMeter } from './sound-meter.ts'
import { createTitleSplitter } from './split-titles.ts'
import { createTrustedComparison } from './trusted-comparison.ts'

/** The stream moves a listener that could not follow to its newest sound, some seconds after it reads again. */
const CAUGHT_UP_MS = 10_000
/** Sound kept for evidence. */
const RECENT_MS = 11_000
/** Sound comes in groups of 3 s. */
const FED_MS = 4_000

export interface Listener {
  heard(): Heard
  readonly sound: RecentSound
  /** Number of the newest frame; null when it has none. */
  readonly frame: number | null
  /** Forgets the time in which this process did not run. */
  forgive(): void
  stop(): void
}

export interface Ear {
  /** URL of a stream. */
  url: string
  codec: Mount['codec']
  broadcast: Broadcast
  ffmpegPath: string
  now: () => number
}

/** Listens to a stream as a player does that connects again after each break. */
export function listen({ url, codec, broadcast, ffmpegPath, now }: Ear): Listener {
  const { frameMs } = codecs[codec]
  const sound = createRecentSound(RECENT_MS)
  let playedOutMs = now() + RESERVE_MS
  let strayAtMs: number | null = null
  let leftOut: Missing | null = null
  /** When it last could not follow: nothing came, or this process did not run. */
  let behindAtMs = Number.NEGATIVE_INFINITY
  let fedAtMs = Number.NEGATIVE_INFINITY
  let repetition: Repetition | null = null
  let title: string | null = null
  let meter = createSoundMeter()

  const follow = (response: IncomingMessage) => {
    meter = createSoundMeter()
    const own = meter
    const decoder = startDecoder(ffmpegPath, codec, (pcm) => {
      own.add(pcm)
      sound.add(pcm)
    })
    const followFrames = createFrameFollower(codec)
    const findRepetition = createRepetitionFinder(frameMs)
    const split = createTitleSplitter(Number(response.headers['icy-metaint'] ?? 0), (found) => {
      title = found
    })
    const first = response.headers['x-stream-frame']
    comparison.begin(first === undefined ? null : Number(first))
    repetition = null
    response.on('data', (piece: Buffer) => {
      const bytes = split(piece)
      const followed = followFrames(bytes)
      const { frames, strayBytes } = followed
      const nowMs = now()
      if (strayBytes > 0) strayAtMs = nowMs
      if (frames.length > 0) fedAtMs = nowMs
      for (const frame of frames) {
        repetition = findRepetition(frame)
        comparison.add(frame)
      }
      title = followed.title ?? title
      noteBreak(nowMs)
      playedOutMs = Math.min(Math.max(playedOutMs, nowMs) + frames.length * frameMs, nowMs + RESERVE_MS)
      decoder.write(bytes)
    })
    response.once('close', decoder.stop)
  }

  const noteBreak = (nowMs: number) => {
    if (nowMs > playedOutMs) behindAtMs = nowMs
  }
  const connection = keepConnected(url, { open: follow, end: () => comparison.end() })
  const comparison = createTrustedComparison(broadcast, connection.again)
  return {
    sound,
    get frame() {
      return comparison.newest
    },
    heard() {
      const compared = comparison.look(repetition !== null)
      const nowMs = now()
      noteBreak(nowMs)
      if (compared?.leftOut && nowMs - behindAtMs > CAUGHT_UP_MS)
        leftOut = { ...compared.leftOut, atMs: nowMs }
      return {
        playedOutMs,
        connection: connection.state,
        strayAtMs,
        leftOut,
        silentMs: meter.silentMs,
        clippedShare: meter.clippedShare,
        loudness: meter.now,
        minute: meter.minute,
        repetition,
        title,
        frame: comparison.newest,
        isFed: nowMs - fedAtMs < FED_MS,
        differingMs: compared?.differingMs ?? 0,
        behindMs: compared?.behindMs ?? 0,
      }
    },
    forgive() {
      strayAtMs = null
      behindAtMs = now()
      playedOutMs = behindAtMs + RESERVE_MS
    },
    stop: connection.stop,
  }
}
