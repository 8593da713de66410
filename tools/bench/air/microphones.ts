import { join } from 'node:path'
import type { Participant, QueueEntry } from '@solstice/playout'
import { type FrameChunk, sleep } from '@solstice/station'
import { pino } from 'pino'
import { startBroadcast } from '../../../apps/stream-worker/src/audio/broadcast.ts'
import {
  createMicrophoneMixer,
  type MicrophoneMixer,
} from '../../../apps/stream-worker/src/audio/microphone/mixer.ts'
import { decode, makeTone } from '../../../tests/harness/audio/audio.ts'
import { cut, makeRecording } from '../../../tests/harness/audio/recording.ts'
import { type Teardown, temporaryFolder } from '../../../tests/harness/processes/processes.ts'
import { usageOf } from '../usage.ts'

const RATE = 44_100
const FRAME = 1152
const PIECE_MS = 100
/** Louder than the music ever is; full scale is 32 767. */
const CLICK = 8_000

const log = pino({ level: 'silent' })

interface PublishedChunk {
  chunk: FrameChunk
  atMs: number
}

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
 * Runs a worker's sound in this process, with music: one click a second goes into a microphone, as from a browser, and is
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

  const speech = createMicrophoneMixer({ askForHead: () => {}, log })
  const { microphones, clicksAtMs } = watchClicks(speech)
  const { broadcast, published } = startMusic(folder, microphones)
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
  const publishedAtMs = await publishedClicks(published)
  const since = (moments: number[], offsetMs: number) =>
    spread(moments.map((atMs, k) => atMs - saidMs - (k + 0.5) * 1000 - offsetMs))
  const delays = {
    mouthToEncoderMs: since(clicksAtMs, 0),
    sentToEncoderMs: since(clicksAtMs, PIECE_MS),
    sentToPublishedMs: since(publishedAtMs, PIECE_MS),
  }

  const pids = [process.pid, broadcast.processes.encoder!, ...broadcast.processes.decoders]
  const musicCpu = await cpuOf(pids, () => sleep(seconds * 1000))
  await speech.follow([person('a'), person('b')])
  const withBoth = await cpuOf(pids, () => send(['a', 'b']))
  return { ...delays, musicCpu, cpuPerMicrophone: (withBoth - musicCpu) / 2 }
}

/** The mixer as the broadcast sees it, and the moments at which it mixed a click. */
function watchClicks(mixer: MicrophoneMixer) {
  const clicksAtMs: number[] = []
  const microphones: Pick<MicrophoneMixer, 'mix' | 'open'> = {
    get open() {
      return mixer.open
    },
    mix(from, count) {
      const over = mixer.mix(from, count)
      const isClick = over?.samples.subarray(from, from + count).some((sample) => Math.abs(sample) > CLICK)
      const nowMs = performance.now()
      if (isClick && nowMs - (clicksAtMs.at(-1) ?? -Infinity) > 500) clicksAtMs.push(nowMs)
      return over
    },
  }
  return { microphones, clicksAtMs }
}

/** Broadcasts `music.mp3` of the folder, mixed with the microphones, and collects the published chunks. */
function startMusic(folder: string, microphones: Pick<MicrophoneMixer, 'mix' | 'open'>) {
  const track = { id: 'music', title: '', artist: '', album: '', year: null, durationMs: null }
  const entry: QueueEntry = { entryId: 'e', track, orderType: null, tier: null }
  const published: PublishedChunk[] = []
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
    microphones,
    publish: async (chunk) => void published.push({ chunk, atMs: performance.now() }),
    nowMs: () => performance.now(),
    after: null,
    settings: { ffmpegPath: 'ffmpeg', bitrate: 128, crossfadeMs: 0 },
    log,
  })
  return { broadcast, published }
}

/** When the chunk of each click was published. */
async function publishedClicks(published: PublishedChunk[]): Promise<number[]> {
  const heard = clicksIn(await decode(Buffer.concat(published.map(({ chunk }) => chunk.audio))))
  return heard.map((sample) => {
    const frame = published[0]!.chunk.frame + Math.floor(sample / FRAME)
    return published.find(({ chunk }) => frame < chunk.frame + chunk.frames)?.atMs ?? Number.NaN
  })
}

/** The share of a core that processes use while `work` runs. */
async function cpuOf(pids: number[], work: () => Promise<unknown>): Promise<number> {
  const total = async () => (await Promise.all(pids.map(usageOf))).reduce((sum, { cpuS }) => sum + cpuS, 0)
  const [before, startedAtMs] = [await total(), performance.now()]
  await work()
  return ((await total()) - before) / ((performance.now() - startedAtMs) / 1000)
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
