import { join } from 'node:path'
import type { Participant, QueueEntry } from '@solstice/playout'
import { type FrameChunk, sleep } from '@solstice/station'
import { pino } from 'pino'
import { startBroadcast } from '../../apps/stream-worker/src/audio/broadcast.ts'
import {
  createMicrophoneMixer,
  type MicrophoneMixer,
} from '../../apps/stream-worker/src/audio/microphone/mixer.ts'
import { decode, makeTone } from '../../tests/harness/audio/audio.ts'
import { cut, makeRecording } from '../../tests/harness/audio/recording.ts'
import { type Teardown, temporaryFolder } from '../../tests/harness/processes/processes.ts'
import { usageOf } from './usage.ts'

const RATE = 44_100
const FRAME = 1152
const PIECE_MS = 100
/** Of 32 767; the music lies far below. */
const CLICK = 8_000

export interface MicrophoneFigures {
  /** Median and maximum, ms: from speech, or the last byte of its piece, until it is mixed or published. */
  mouthToEncoderMs: [number, number]
  sentToEncoderMs: [number, number]
  sentToPublishedMs: [number, number]
  /** CPU of the worker with its encoder and decoder, in cores: for music alone, and per added microphone. */
  musicCpu: number
  cpuPerMicrophone: number
}

/**
 * The worker's sound in this process, with music: one click a second goes into a microphone, as from a browser, and is
 * detected along the way; then the CPU of two microphones compared with that of music alone.
 */
export async function measureMicrophones(t: Teardown, seconds: number): Promise<MicrophoneFigures> {
  const folder = await temporaryFolder(t)
  await makeTone(join(folder, 'music.mp3'), { hz: 220, seconds: 4 * seconds + 60, volume: 0.5 })
  const clicks = await makeRecording(
    'aevalsrc=if(lt(mod(t+0.5\\,1)\\,0.02)\\,0.5*sin(2*PI*2000*t)\\,0):s=48000',
    seconds,
  )
  const pieces = cut(clicks, seconds, PIECE_MS)

  const log = pino({ level: 'silent' })
  const speech = createMicrophoneMixer({ askForHead: () => {}, log })
  const atEncoder: number[] = []
  const published: { chunk: FrameChunk; atMs: number }[] = []
  const watched: Pick<MicrophoneMixer, 'mix' | 'open'> = {
    get open() {
      return speech.open
    },
    mix(from, count) {
      const over = speech.mix(from, count)
      const isClick = over?.samples.subarray(from, from + count).some((sample) => Math.abs(sample) > CLICK)
      const now = performance.now()
      if (isClick && now - (atEncoder.at(-1) ?? -Infinity) > 500) atEncoder.push(now)
      return over
    },
  }
  const track = { id: 'music', title: '', artist: '', album: '', year: null, durationMs: null }
  const entry: QueueEntry = { entryId: 'e', track, orderType: null, tier: null }
  const startMs = performance.now()
  const broadcast = startBroadcast({
    plan: {
      at: (atMs) => ({ current: { entry, positionMs: atMs - startMs }, next: null }),
      soundEnded() {},
      unplayable() {},
      blank() {},
      late() {},
      clipUnplayable() {},
    },
    source: async (media) => join(folder, `${media}.mp3`),
    microphones: watched,
    publish: async (chunk) => void published.push({ chunk, atMs: performance.now() }),
    nowMs: () => performance.now(),
    after: null,
    settings: { ffmpegPath: 'ffmpeg', bitrate: 128, crossfadeMs: 0 },
    log,
  })
  t.teardown(() => broadcast.stop())
  await sleep(2_000)

  const send = async (names: string[]) => {
    const beganMs = performance.now()
    for (const [i, bytes] of pieces.entries()) {
      await sleep(beganMs + (i + 1) * PIECE_MS - performance.now())
      for (const socketId of names) speech.receive({ socketId, bytes })
    }
    return beganMs
  }
  await speech.follow([person('a')])
  const saidMs = await send(['a'])
  await sleep(1_500)
  await speech.follow([])
  const heard = clicksIn(await decode(Buffer.concat(published.map(({ chunk }) => chunk.audio))))
  const publishedMs = heard.map((sample) => {
    const frame = published[0]!.chunk.frame + Math.floor(sample / FRAME)
    return published.find(({ chunk }) => frame < chunk.frame + chunk.frames)?.atMs ?? Number.NaN
  })
  const since = (moments: number[], offsetMs: number) =>
    spread(moments.map((atMs, k) => atMs - saidMs - (k + 0.5) * 1000 - offsetMs))
  const delays = {
    mouthToEncoderMs: since(atEncoder, 0),
    sentToEncoderMs: since(atEncoder, PIECE_MS),
    sentToPublishedMs: since(publishedMs, PIECE_MS),
  }

  const pids = [process.pid, broadcast.processes.encoder!, ...broadcast.processes.decoders]
  const cpuOf = async (work: () => Promise<unknown>) => {
    const total = async () => (await Promise.all(pids.map(usageOf))).reduce((sum, { cpuS }) => sum + cpuS, 0)
    const [before, at] = [await total(), performance.now()]
    await work()
    return ((await total()) - before) / ((performance.now() - at) / 1000)
  }
  const musicCpu = await cpuOf(() => sleep(seconds * 1000))
  await speech.follow([person('a'), person('b')])
  const withBoth = await cpuOf(() => send(['a', 'b']))
  return {
    ...delays,
    musicCpu,
    cpuPerMicrophone: (withBoth - musicCpu) / 2,
  }
}

function person(socketId: string): Participant {
  const speaker = { socketId, replica: '', uid: socketId, address: '' }
  const host = { role: 'host', adminId: socketId, name: socketId, sinceMs: 0, endsAtMs: null } as const
  return { ...speaker, ...host, isMicOn: true, gain: 2, isMuted: false }
}

/** Starts of the clicks; sound within half a second of one belongs to it. */
function clicksIn(samples: Float32Array): number[] {
  const found: number[] = []
  for (let i = 0; i < samples.length; i++) {
    if (Math.abs(samples[i]!) * 32_767 > CLICK && i - (found.at(-1) ?? -Infinity) > RATE / 2) found.push(i)
  }
  return found
}

function spread(values: number[]): [number, number] {
  const sorted = values.map(Math.round).sort((a, b) => a - b)
  return [sorted[sorted.length >> 1] ?? Number.NaN, sorted.at(-1) ?? Number.NaN]
}
