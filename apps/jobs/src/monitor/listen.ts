import { spawn } from 'node:child_process'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { bareEnvironment } from '@solstice/adapters'
import { FRAME_MS } from '@solstice/station'
import { createFrameFollower } from './follow-frames.ts'
import type { Heard } from './judge.ts'
import { createRepetitionFinder } from './repetition.ts'
import { createSoundMeter, METER_RATE, type SoundMeter } from './sound-meter.ts'
import { createTitleSplitter } from './split-titles.ts'

/**
 * The stream lets every player have this much in hand at least, so it bridges the takeover of a killed worker. With
 * more in hand, people hear nothing of a break yet when the alarm begins.
 */
const RESERVE_MS = 7_000
const RETRY_MS = 1_000
/** A connection without bytes may be broken without either side knowing. */
const IDLE_TIMEOUT_MS = 15_000

export interface Listener {
  heard(): Heard
  /** Forgets the time in which this process did not run. */
  forgive(): void
  stop(): void
}

/** Listens to the public stream of an address, as a player does that connects again after each break. */
export function listen(address: string, ffmpegPath: string, now: () => number): Listener {
  let playedOutMs = now() + RESERVE_MS
  let connection = 'connecting'
  let strayAtMs: number | null = null
  let repeatingMs = 0
  let title: string | null = null
  let meter = createSoundMeter()
  let isStopped = false
  let hangUp = () => {}
  let retrying: NodeJS.Timeout | undefined

  const follow = (response: IncomingMessage) => {
    meter = createSoundMeter()
    const decoder = startDecoder(ffmpegPath, meter)
    const followFrames = createFrameFollower()
    const findRepetition = createRepetitionFinder()
    const split = createTitleSplitter(Number(response.headers['icy-metaint'] ?? 0), (found) => {
      title = found
    })
    repeatingMs = 0
    response.on('data', (piece: Buffer) => {
      const sound = split(piece)
      const { frames, strayBytes } = followFrames(sound)
      const nowMs = now()
      if (strayBytes > 0) strayAtMs = nowMs
      for (const frame of frames) repeatingMs = findRepetition(frame)
      playedOutMs = Math.min(Math.max(playedOutMs, nowMs) + frames.length * FRAME_MS, nowMs + RESERVE_MS)
      decoder.write(sound)
    })
    response.once('close', decoder.stop)
  }

  const connect = () => {
    const { protocol } = new URL(address)
    const open = protocol === 'https:' ? requestSecure : requestPlain
    const request = open(`${address}/api/stream/public.mp3`, {
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
      if (!isStopped) retrying = setTimeout(connect, RETRY_MS)
    })
    request.end()
  }
  connect()

  return {
    heard: () => ({
      playedOutMs,
      connection,
      strayAtMs,
      silentMs: meter.silentMs,
      clippedShare: meter.clippedShare,
      minute: meter.minute,
      repeatingMs,
      title,
    }),
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

/** Decodes MP3 for a meter, in an ffmpeg that ends with its input. */
function startDecoder(ffmpegPath: string, meter: SoundMeter) {
  const quick = [
    '-nostdin',
    '-loglevel',
    'quiet',
    '-threads',
    '1',
    '-probesize',
    '4096',
    '-analyzeduration',
    '0',
  ]
  const output = ['-f', 's16le', '-ar', String(METER_RATE), '-ac', '2', 'pipe:1']
  const ffmpeg = spawn(ffmpegPath, [...quick, '-f', 'mp3', '-i', 'pipe:0', ...output], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: bareEnvironment(),
  })
  ffmpeg.on('error', () => {})
  ffmpeg.stdin.on('error', () => {})
  ffmpeg.stdout.on('data', meter.add)
  return {
    write: (sound: Buffer) => void (ffmpeg.stdin.writable && ffmpeg.stdin.write(sound)),
    stop: () => void ffmpeg.kill('SIGKILL'),
  }
}
