import type { IncomingMessage } from 'node:http'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { codecs, type Mount } from '@solstice/station'
import type { Broadcast } from '../broadcast.ts'
import type { Heard } from '../judge.ts'
import { type Compared, createComparison } from './comparison.ts'
import { startDecoder } from './decoder.ts'
import { createFrameFollower } from './frames.ts'
import { createRecentSound, type RecentSound } from './recent-sound.ts'
import { createRepetitionFinder } from './repetition.ts'
import { createSoundMeter } from './sound-meter.ts'
import { createTitleSplitter } from './split-titles.ts'

/**
 * The stream lets every player have this much in hand at least, so it bridges the takeover of a killed worker. With
 * more in hand, people hear nothing of a break yet when the alarm begins.
 */
const RESERVE_MS = 7_000
const RETRY_MS = 1_000
/** A connection without bytes may be broken without either side knowing. */
const IDLE_TIMEOUT_MS = 15_000
/** Sound kept for evidence. */
const RECENT_MS = 11_000
/** Different frames in a row that are no accident, and same ones that are none. */
const DIFFERING_MS = 500
const SAME_MS = 2_000
/** Sound comes in groups of 2 s. */
const FED_MS = 3_000

export interface Listener {
  heard(): Heard
  readonly sound: RecentSound
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
  let connection = 'connecting'
  let strayAtMs: number | null = null
  let fedAtMs = Number.NEGATIVE_INFINITY
  let repeatingMs = 0
  let title: string | null = null
  let meter = createSoundMeter()
  let comparison: ReturnType<typeof createComparison> | null = null
  let holes = broadcast.holes
  /** Counting is not trusted before a second connection, with numbers of its own, has come to the same. */
  let isDoubted = false
  let isStopped = false
  let hangUp = () => {}
  let retryMs = RETRY_MS
  let retrying: NodeJS.Timeout | undefined

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
    const compared = first === undefined ? null : createComparison(broadcast, Number(first))
    comparison = compared
    holes = broadcast.holes
    repeatingMs = 0
    response.on('data', (piece: Buffer) => {
      const bytes = split(piece)
      const followed = followFrames(bytes)
      const { frames, strayBytes } = followed
      const nowMs = now()
      if (strayBytes > 0) strayAtMs = nowMs
      if (frames.length > 0) fedAtMs = nowMs
      for (const frame of frames) {
        repeatingMs = findRepetition(frame)
        compared?.add(frame)
      }
      title = followed.title ?? title
      playedOutMs = Math.min(Math.max(playedOutMs, nowMs) + frames.length * frameMs, nowMs + RESERVE_MS)
      decoder.write(bytes)
    })
    response.once('close', decoder.stop)
  }

  const connect = () => {
    retryMs = RETRY_MS
    const open = url.startsWith('https:') ? requestSecure : requestPlain
    const request = open(url, {
      agent: false,
      headers: { 'icy-metadata': '1', 'user-agent': 'Solstice-Monitor' },
      timeout: IDLE_TIMEOUT_MS,
    })
    hangUp = () => request.destroy()
    request.once('response', (response) => {
      connection = response.statusCode === 200 ? 'connected' : `status ${response.statusCode}`
      response.on('error', () => {})
      if (response.statusCode === 200) follow(response)
      else response.resume()
    })
    request.on('timeout', hangUp)
    request.on('error', ({ message }) => {
      connection = message
    })
    request.once('close', () => {
      comparison = null
      if (!isStopped) retrying = setTimeout(connect, retryMs)
    })
    request.end()
  }
  connect()

  const joinAgain = () => {
    comparison = null
    retryMs = 0
    hangUp()
  }
  const compare = (): Compared | null => {
    if (comparison && holes !== broadcast.holes) joinAgain()
    const compared = comparison?.look() ?? null
    if (compared && compared.sameMs >= SAME_MS) isDoubted = false
    if (!compared || compared.differingMs < DIFFERING_MS) return compared
    if (isDoubted) return compared
    isDoubted = true
    joinAgain()
    return null
  }

  return {
    sound,
    heard() {
      const compared = compare()
      return {
        playedOutMs,
        connection,
        strayAtMs,
        silentMs: meter.silentMs,
        clippedShare: meter.clippedShare,
        loudness: meter.now,
        minute: meter.minute,
        repeatingMs,
        title,
        frame: comparison?.newest ?? null,
        isFed: now() - fedAtMs < FED_MS,
        differingMs: compared?.differingMs ?? 0,
        behindMs: compared?.behindMs ?? 0,
      }
    },
    forgive() {
      strayAtMs = null
      playedOutMs = now() + RESERVE_MS
    },
    stop() {
      isStopped = true
      clearTimeout(retrying)
      hangUp()
    },
  }
}
