import { FRAME_SAMPLES, type MediaKey, type StreamMarker } from '@solstice/station'
import type { Logger } from 'pino'
import type { MicrophoneMixer } from './microphone/mixer.ts'
import { createMixer } from './pcm/mixer.ts'
import { SAMPLES_PER_MS } from './pcm/ring.ts'
import { aboutEntry, type Placed } from './sequencer/air-entry.ts'
import { countBlank, countMissing, uncounted } from './sequencer/blank-detector.ts'
import { createDecoders, type Decoders } from './sequencer/decoders.ts'
import { createPatience } from './sequencer/patience.ts'
import { createReport, type PlaybackPlan } from './sequencer/playback-plan.ts'
import {
  readAhead,
  undecodableNext,
  undecodablePhrase,
  withoutNext,
  withoutPhrase,
} from './sequencer/read-ahead.ts'
import { followPlan, nextStep, planDelayMs, type Step, type Turn, take } from './sequencer/sequencer.ts'
import { advance, begin, emptyStage, rewind, type Stage, soundsOf, withCurrent } from './sequencer/stage.ts'
import { takeUp } from './sequencer/take-up.ts'

export type { PlaybackPlan } from './sequencer/playback-plan.ts'

/** Renders the plan to samples: gapless tracks and jingles with phrases over them, each decoded in advance. */
export interface Playback {
  /** Mixes the rest of the next frame; false when a decoder is not ready but worth waiting for. */
  fill(block: Int16Array, nowMs: number): boolean
  /** Call this when the plan may have changed for a reason other than playback. */
  planChanged(): void
  /** Replaces hanging decoders. Call it about every 100 ms with the ms since the last call. */
  check(elapsedMs: number): void
  /** Takes up the plan anew after the station time of the next sample changed. */
  restart(): void
  /** Process ids of the decoders. */
  readonly pids: number[]
  close(): Promise<void>
}

interface Options {
  plan: PlaybackPlan
  source(media: MediaKey): Promise<string>
  /** Live audio over the plan. */
  microphones: Pick<MicrophoneMixer, 'mix' | 'open'> | null
  start: number
  firstHeard: number
  lastMarker: StreamMarker | null
  /** Station time of a sample of the broadcast. */
  timeOf(sample: number): number
  ffmpegPath: string
  crossfadeMs: number
  /** Called with the sound that starts at a sample; null for silence. */
  onHeard(sample: number, placed: Placed | null): void
  /** Called when a decoder makes progress. */
  onProgress(): void
  log: Logger
}

/**
 * Runs the steps of the sequencer: mixes its spans, reports its turns to the engine, and keeps a decoder for each sound.
 *
 * @param options.start first sample of the broadcast, a multiple of a frame.
 * @param options.firstHeard the plan is taken up at this sample; earlier ones only prime the encoder.
 * @param options.lastMarker what was heard just before, if this broadcast continues without a pause (`takeUp`).
 */
export function createPlayback(options: Options): Playback {
  const { plan, timeOf, start, firstHeard, lastMarker } = options
  const crossfade = Math.round(options.crossfadeMs * SAMPLES_PER_MS)
  const decoders = createDecoders({ ...options, crossfade })
  const { progressOf } = decoders
  const patience = createPatience()
  const mixSpan = createSpanMixer(options, decoders)
  const report = createReport(options)
  let stage = emptyStage(start, crossfade)
  /** Number of samples of the frame mixed so far. */
  let filled = 0

  /** `at`: sample from which the stage is heard. */
  function enter(next: Stage, at = next.cursor) {
    const before = stage
    stage = next
    decoders.follow(soundsOf(next))
    report.heard(before, next, at)
  }

  const planNow = (delayMs = 0) => plan.at(timeOf(stage.cursor) + delayMs)

  function prepare() {
    const entry = undecodableNext(stage, progressOf)
    if (entry) {
      report.undecodable(entry, stage.cursor)
      enter(withoutNext(stage, planNow()))
    }
    enter(readAhead(stage, progressOf))
    const clip = undecodablePhrase(stage, progressOf)
    if (!clip) return
    enter(withoutPhrase(stage))
    plan.clipUnplayable(clip.id, timeOf(stage.cursor))
  }

  /** Takes all turns at the cursor. */
  function settle(): Exclude<Step, Turn> {
    for (;;) {
      const step = nextStep(stage, FRAME_SAMPLES - filled, patience.isLeft, progressOf)
      if (step.do === 'mix' || step.do === 'wait') return step
      report.turn(step, stage.cursor)
      enter(take(stage, step, planNow(planDelayMs(step)), progressOf))
    }
  }

  const place = { at: firstHeard, lastMarker }
  enter(takeUp(stage, plan.at(timeOf(firstHeard)), place, progressOf), firstHeard)

  return {
    fill(block, nowMs) {
      patience.note(nowMs - timeOf(stage.cursor))
      prepare()
      while (filled < FRAME_SAMPLES) {
        const step = settle()
        if (step.do === 'wait') return false
        stage = mixSpan(stage, step, block, filled, patience.isPresent)
        filled += step.count
      }
      filled = 0
      return true
    },
    planChanged: () => enter(followPlan(stage, planNow(), progressOf)),
    check(elapsedMs) {
      patience.noteCheck(elapsedMs)
      decoders.check(elapsedMs)
    },
    restart() {
      stage = rewind(stage, filled)
      filled = 0
      patience.forgive()
      enter(begin(stage, planNow(), stage.cursor, null, progressOf))
    },
    get pids() {
      return decoders.pids
    },
    close: decoders.close,
  }
}

type Mix = Extract<Step, { do: 'mix' }>

/** Mixes a span with the live audio over it at sample `from` of a block; returns the stage after it. */
function createSpanMixer({ microphones }: Options, { read, progressOf }: Decoders) {
  const mix = createMixer()
  return (stage: Stage, { sounds, count }: Mix, block: Int16Array, from: number, isPresent: boolean) => {
    const { cursor } = stage
    const parts = sounds.map((sound) => read(sound, cursor, count, from))
    // Live audio belongs to the present, so it is left out while catching up.
    const live = isPresent ? (microphones?.mix(from, count) ?? null) : null
    mix(parts, block, from, count, cursor, live)
    const isAlone = sounds.length === 1 && !live && !microphones?.open
    const counted = withCurrent(stage, (voice) => {
      if (aboutEntry(voice.entry).isChat) return voice
      const isMissing = progressOf(voice).phase === 'opening'
      if (voice.isTail && !isMissing) return voice
      if (!isAlone) return { ...voice, blank: uncounted(voice.blank) }
      const blank = isMissing ? countMissing(voice.blank, count) : countBlank(voice.blank, block, from, count)
      return { ...voice, blank }
    })
    return advance(counted, count)
  }
}
