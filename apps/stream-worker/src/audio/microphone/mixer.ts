import type { Participant } from '@solstice/playout'
import { FRAME_SAMPLES, type MicrophoneLevel, type MicrophonePiece, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import { createMicrophoneLimiter } from '../pcm/limiter.ts'
import type { LiveAudio } from '../pcm/mixer.ts'
import { createMicrophone, type Microphone } from './microphone.ts'

/** Gain of the music while somebody speaks. */
export const DUCKING_GAIN = 0.16
const DUCKING_STEP = (1 - DUCKING_GAIN) / (0.2 * SAMPLE_RATE)
/** A broken connection ducks the music no longer than this. */
const HOLD_SAMPLES = SAMPLE_RATE
const HEAD_INTERVAL_MS = 1_000
/** Four times a second: short enough for a meter, and no load on anybody. */
const LEVEL_SAMPLES = SAMPLE_RATE / 4

/** All microphones on air, mixed into one sound over the music. */
export interface MicrophoneMixer {
  /**
   * Sets the people on air; closes microphones that are off or whose person is gone. Resolves when
   * all that are on can be heard; there is no need to wait for that.
   */
  follow(participants: readonly Participant[]): Promise<void>
  /** Takes the next piece of a person's recording. Never throws, whatever the bytes. */
  receive(piece: MicrophonePiece): void
  /**
   * Mixes the next samples, at most a frame, into `from` to `from + count` of the result. Null when nobody is heard and
   * the music keeps its level.
   */
  mix(from: number, count: number): LiveAudio | null
  /** Number of microphones that are on. */
  readonly open: number
  close(): void
}

/** A person on air. */
interface Speaker {
  microphone: Microphone
  gain: number
  isMuted: boolean
  /** Sample of this mix after which the microphone has produced no audio. */
  heardUntil: number
  headAskedAtMs: number
}

/**
 * @param options.nowMs any monotonic clock.
 * @param options.askForHead called when a recording cannot be read without its header.
 * @param options.onLevels called at most four times a second of the mix: while somebody is heard, and once more when nobody is.
 */
export function createMicrophoneMixer(options: {
  askForHead(socketId: string): void
  onLevels?: (levels: readonly MicrophoneLevel[]) => void
  nowMs?: () => number
  log: Logger
}): MicrophoneMixer {
  const { askForHead, log, nowMs = () => performance.now() } = options
  const speakers = new Map<string, Speaker>()
  /** Switched off a moment ago and still fading out. */
  const ending = new Set<Speaker>()
  const mix = createLiveMix(speakers, ending, nowMs)
  const measure = createLevels(speakers, options.onLevels)
  return {
    async follow(participants) {
      const on = participants.filter(({ isMicOn }) => isMicOn)
      const socketIds = new Set(on.map(({ socketId }) => socketId))
      for (const [socketId, speaker] of speakers) {
        if (socketIds.has(socketId)) continue
        speaker.microphone.end()
        ending.add(speaker)
        speakers.delete(socketId)
      }
      for (const { socketId, gain, isMuted } of on) {
        const speaker = speakers.get(socketId) ?? newSpeaker(log.child({ socketId }))
        speakers.set(socketId, Object.assign(speaker, { gain, isMuted }))
      }
      await Promise.all([...speakers.values()].map(({ microphone }) => microphone.ready))
    },

    receive({ socketId, bytes }) {
      const speaker = speakers.get(socketId)
      if (!speaker) return
      const now = nowMs()
      try {
        speaker.microphone.receive(bytes, now)
      } catch (err) {
        log.error({ err, socketId }, 'microphone piece could not be read')
      }
      if (!speaker.microphone.wantsHead || now - speaker.headAskedAtMs < HEAD_INTERVAL_MS) return
      speaker.headAskedAtMs = now
      askForHead(socketId)
    },

    mix(from, count) {
      const live = mix(from, count)
      measure(count)
      return live
    },

    get open() {
      return speakers.size
    },

    close() {
      for (const { microphone } of [...speakers.values(), ...ending]) microphone.close()
      speakers.clear()
      ending.clear()
    },
  }
}

function newSpeaker(log: Logger): Speaker {
  const microphone = createMicrophone(log)
  return { microphone, gain: 1, isMuted: false, heardUntil: -Infinity, headAskedAtMs: -Infinity }
}

/** Reads the meters of all speakers every quarter of a second of the mix, and tells of it while somebody is heard. */
function createLevels(
  speakers: ReadonlyMap<string, Speaker>,
  onLevels: (levels: readonly MicrophoneLevel[]) => void = () => {},
): (mixed: number) => void {
  let since = 0
  let wasHeard = false
  return (mixed) => {
    since += mixed
    if (since < LEVEL_SAMPLES) return
    const levels = Array.from(speakers, ([socketId, { microphone }]) => ({
      socketId,
      ...microphone.loudness(since),
    }))
    since = 0
    const isHeard = levels.some(({ peak }) => peak > 0)
    if (isHeard || wasHeard) onLevels(levels)
    wasHeard = isHeard
  }
}

/** Mixes speakers and ducks the music under them; closes those that have faded out. */
function createLiveMix(
  speakers: ReadonlyMap<string, Speaker>,
  ending: Set<Speaker>,
  nowMs: () => number,
): MicrophoneMixer['mix'] {
  const limiter = createMicrophoneLimiter()
  const live: LiveAudio = {
    samples: new Float32Array(FRAME_SAMPLES),
    musicGain: new Float32Array(FRAME_SAMPLES),
  }
  let mixed = 0
  let ducking = 1

  function isDucked(): boolean {
    for (const { isMuted, heardUntil } of speakers.values()) {
      if (!isMuted && mixed - heardUntil < HOLD_SAMPLES) return true
    }
    return false
  }

  function duck(from: number, count: number) {
    const target = isDucked() ? DUCKING_GAIN : 1
    for (let i = from; i < from + count; i++) {
      if (ducking > target) ducking = Math.max(target, ducking - DUCKING_STEP)
      else if (ducking < target) ducking = Math.min(target, ducking + DUCKING_STEP)
      live.musicGain[i] = ducking
    }
  }

  return (from, count) => {
    if (speakers.size + ending.size === 0 && ducking === 1 && limiter.isIdle) return null
    const { samples } = live
    const now = nowMs()
    samples.fill(0, from, from + count)
    for (const speaker of speakers.values()) {
      const gain = speaker.isMuted ? 0 : speaker.gain
      if (speaker.microphone.add(samples, from, count, gain, now)) speaker.heardUntil = mixed + count
    }
    for (const speaker of ending) {
      const { microphone, isMuted, gain } = speaker
      microphone.add(samples, from, count, isMuted ? 0 : gain, now)
      if (!microphone.isOver) continue
      microphone.close()
      ending.delete(speaker)
    }
    mixed += count
    limiter.limit(samples, from, count)
    duck(from, count)
    return ducking === 1 && limiter.isIdle ? null : live
  }
}
