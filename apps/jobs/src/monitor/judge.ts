import type { AlarmCause } from '@solstice/contracts'
import type { MinuteLoudness } from './sound-meter.ts'

/** The sound as a listener at one address hears it. */
export interface Heard {
  /** Moment at which a player has played all it received. */
  playedOutMs: number
  /** The state of the connection in words. */
  connection: string
  /** The last byte that belonged to no frame; null = there was none. */
  strayAtMs: number | null
  silentMs: number
  clippedShare: number
  minute: MinuteLoudness | null
  /** For how long frames have been repeating. */
  repeatingMs: number
  /** The title in the stream; null before the first. */
  title: string | null
}

/** The air as the station states it. */
export interface Plan {
  /** Since when sound is due without a break; null = none is due. */
  soundSinceMs: number | null
  /** As players show it. */
  title: string
  /** Since when this track is on air. */
  titleSinceMs: number
  /** Loudness of the track as it is played, LUFS; null = unknown. */
  lufs: number | null
  /** Moment at which time changes the state next; null = never. */
  dueMs: number | null
}

export interface Thresholds {
  silenceMs: number
  clippedShare: number
  /** Deviation for a whole minute. */
  loudnessDb: number
  repeatingMs: number
  /** Titles and sound of the listener are this far behind or ahead of the station at most. */
  titleMs: number
  overdueMs: number
  /** Bytes that belong to no frame are reported for this long. */
  strayMs: number
}

export const THRESHOLDS: Thresholds = {
  silenceMs: 8_000,
  clippedShare: 0.01,
  loudnessDb: 3,
  repeatingMs: 3_000,
  titleMs: 15_000,
  overdueMs: 10_000,
  strayMs: 5_000,
}

const MINUTE_MS = 60_000
const COMPARED_CHARACTERS = 40

/** Causes for an alarm, each with its evidence. */
export type Findings = Map<AlarmCause, string>

/** Holds what is heard at an address against the plan. Without sound nothing but its absence is judged. */
export function judgeSound(heard: Heard, plan: Plan | null, limits: Thresholds, nowMs: number): Findings {
  const findings: Findings = new Map()
  if (nowMs > heard.playedOutMs) {
    const seconds = inSeconds(nowMs - heard.playedOutMs)
    return findings.set('no_bytes', `nothing left to play for ${seconds}; ${heard.connection}`)
  }
  if (heard.strayAtMs !== null && nowMs - heard.strayAtMs < limits.strayMs)
    findings.set('broken_frames', 'bytes between the frames that are no MP3')
  if (heard.clippedShare > limits.clippedShare)
    findings.set('clipping', `${(heard.clippedShare * 100).toFixed(1)} % of the samples at full scale`)
  if (!plan || plan.soundSinceMs === null) return findings
  if (Math.min(heard.silentMs, nowMs - plan.soundSinceMs) > limits.silenceMs)
    findings.set('silence', `silent for ${inSeconds(heard.silentMs)} during "${plan.title}"`)
  else if (heard.repeatingMs > limits.repeatingMs && heard.silentMs === 0)
    findings.set('repeating', `frames of before for ${inSeconds(heard.repeatingMs)}`)
  const loudness = judgeLoudness(heard, plan, limits, nowMs)
  if (loudness) findings.set('loudness', loudness)
  const isNamed = heard.title === null || isSameTitle(heard.title, plan.title)
  if (!isNamed && nowMs - plan.titleSinceMs > limits.titleMs)
    findings.set('title', `"${heard.title}" is named while "${plan.title}" is on air`)
  return findings
}

/** Holds the state of the station against the time. */
export function judgeState(plan: Plan | null, limits: Thresholds, nowMs: number): Findings {
  const lateMs = plan?.dueMs == null ? 0 : nowMs - plan.dueMs
  return new Map(
    lateMs > limits.overdueMs ? [['stale_state', `a change is overdue by ${inSeconds(lateMs)}`]] : [],
  )
}

/** A quiet passage of a minute is music; a minute without one loud moment, or loud throughout, is a fault. */
function judgeLoudness({ minute }: Heard, plan: Plan, limits: Thresholds, nowMs: number): string | null {
  if (!minute || plan.lufs === null || nowMs - plan.titleSinceMs < MINUTE_MS + limits.titleMs) return null
  const isQuiet = minute.highest < plan.lufs - limits.loudnessDb
  const isLoud = minute.median > plan.lufs + limits.loudnessDb
  if (!isQuiet && !isLoud) return null
  const value = isQuiet ? minute.highest : minute.median
  return `${value.toFixed(1)} LUFS for a minute; ${plan.lufs.toFixed(1)} LUFS is due`
}

/** Titles in a stream are cut, and lose characters that would end them. */
function isSameTitle(heard: string, planned: string): boolean {
  const [a, b] = [heard, planned].map((title) =>
    title.replace(/[^\p{L}\p{N}]+/gu, '').slice(0, COMPARED_CHARACTERS),
  )
  return a === b
}

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
