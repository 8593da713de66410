import type { AlarmCause } from '@solstice/contracts'
import type { LeftOut } from './ear/comparison.ts'
import type { Repetition } from './ear/repetition.ts'
import type { MinuteLoudness } from './ear/sound-meter.ts'
import type { Plan } from './plan.ts'

/**
 * The stream lets every player have this much in hand at least, so it bridges the takeover of a killed worker. With
 * more in hand, people hear nothing of a break yet when the alarm begins.
 */
export const RESERVE_MS = 7_000

/** The sound as a listener at one address hears it. */
export interface Heard {
  /** Moment at which a player has played all it received. */
  playedOutMs: number
  /** The state of the connection in words. */
  connection: string
  /** Sound has come lately. */
  isFed: boolean
  /** The last byte that belonged to no frame; null = there was none. */
  strayAtMs: number | null
  /** The last frames that were left out between two that were sent, and when that was noticed; null = there were none. */
  leftOut: Missing | null
  silentMs: number
  clippedShare: number
  /** Of the last 2 s, LUFS; null before. */
  loudness: number | null
  minute: MinuteLoudness | null
  /** Frames of before that come again; null = none do. */
  repetition: Repetition | null
  /** For how long frames have not been those that were broadcast. */
  differingMs: number
  /** How much older the newest sound is than the newest that was broadcast, ms. */
  behindMs: number
  /** Number of the newest frame; null when it has none. */
  frame: number | null
  /** The title in the stream; null before the first. */
  title: string | null
}

export type Missing = LeftOut & { atMs: number }

/** The broadcast at its newest frame. */
export interface Sent {
  /** As players show it; '' in silence. */
  title: string
  entryId: string | null
  /** Position within the track; null when none is heard. */
  positionMs: number | null
  /** Station time at which that frame is due. */
  atMs: number
  /** Since it came. */
  ageMs: number
}

/** The air as an address tells it. */
export interface Told {
  trackId: string | null
  /** Date (epoch ms) at which the track began; null without one. */
  startedAtMs: number | null
  /** Date (epoch ms) of what is told; how long ago it came, and how long it took. */
  atMs: number
  ageMs: number
  tookMs: number
}

/** `sync` as a socket received it. */
export interface Synced {
  /** Since it came, and how old it was then, ms. */
  sinceMs: number
  delayMs: number
  trackId: string | null
  /** The track that is heard instead; null = none. */
  heardId: string | null
  /** How far the told position is ahead of the one that is heard, ms. */
  driftMs: number
}

/** An answer that is asked for again and again. */
export interface Followed<T> {
  /** The last good answer; null = there was none yet. */
  last: T | null
  /** Since when there has been no good one, as a duration; 0 = the last was good. */
  failingMs: number
  /** Why. */
  failure: string
}

export interface Thresholds {
  silenceMs: number
  clippedShare: number
  /** Deviation for a whole minute. */
  loudnessDb: number
  /** Frames of before that were not broadcast anew. */
  repeatingMs: number
  /** Frames that are not those that were broadcast. */
  differingMs: number
  /** By how much listeners are behind the broadcast at most. */
  behindMs: number
  /** Titles and sound of the listener are this far behind or ahead of the station at most, */
  titleMs: number
  /** and the sound itself of the state. */
  markerMs: number
  driftMs: number
  /** By how much the broadcast may be off its own time. */
  offTimeMs: number
  overdueMs: number
  /** Bytes that belong to no frame, and frames that are missing, are reported for this long. */
  strayMs: number
  toldMs: number
  /** Between two `sync`. */
  syncMs: number
  failingMs: number
  playlistMs: number
}

export const THRESHOLDS: Thresholds = {
  silenceMs: 8_000,
  clippedShare: 0.01,
  loudnessDb: 3,
  repeatingMs: 2_000,
  differingMs: 500,
  behindMs: 6_000,
  titleMs: 15_000,
  markerMs: 3_000,
  driftMs: 1_500,
  offTimeMs: 6_000,
  overdueMs: 10_000,
  strayMs: 5_000,
  toldMs: 3_000,
  syncMs: 4_000,
  failingMs: 8_000,
  playlistMs: 9_000,
}

const MINUTE_MS = 60_000
const COMPARED_CHARACTERS = 40

/** Causes for an alarm, each with its evidence. */
export type Findings = Map<AlarmCause, string>

/**
 * Holds what is heard at an address against the plan. Without sound nothing but its absence is judged.
 *
 * @param titles those that the broadcast has had lately at this frame; null = not known.
 */
export function judgeSound(
  heard: Heard,
  plan: Plan | null,
  titles: readonly string[] | null,
  limits: Thresholds,
  nowMs: number,
): Findings {
  const findings: Findings = new Map()
  if (nowMs > heard.playedOutMs) {
    const seconds = inSeconds(nowMs - heard.playedOutMs)
    return findings.set('no_bytes', `nothing left to play for ${seconds}; ${heard.connection}`)
  }
  if (heard.strayAtMs !== null && nowMs - heard.strayAtMs < limits.strayMs)
    findings.set('broken_frames', 'bytes between the frames that belong to none')
  else
    for (const [cause, evidence] of judgeNumbers(heard.leftOut, limits, nowMs)) findings.set(cause, evidence)
  if (heard.clippedShare > limits.clippedShare)
    findings.set('clipping', `${(heard.clippedShare * 100).toFixed(1)} % of the samples at full scale`)
  const isDue = plan !== null && plan.soundSinceMs !== null
  for (const [cause, evidence] of judgeFrames(heard, limits, isDue)) findings.set(cause, evidence)
  if (!plan || plan.soundSinceMs === null) return findings
  if (Math.min(heard.silentMs, nowMs - plan.soundSinceMs) > limits.silenceMs)
    findings.set('silence', `silent for ${inSeconds(heard.silentMs)} during "${plan.title}"`)
  const loudness = judgeLoudness(heard, plan, limits, nowMs)
  if (loudness) findings.set('loudness', loudness)
  const title = judgeTitle(heard.title, plan, titles, limits, nowMs)
  if (title) findings.set('title', title)
  return findings
}

/**
 * Frames that come again, are old, or were never broadcast. A replica that repeats itself falls behind as well. Frames that were
 * broadcast twice are left to the inspector, because music repeats, too.
 */
function judgeFrames(
  { frame, isFed, behindMs, differingMs, repetition }: Heard,
  limits: Thresholds,
  isDue: boolean,
): Findings {
  if (repetition && (differingMs > 0 || (frame === null && isDue))) {
    const { lengthMs } = repetition
    const evidence = `frames of before for ${inSeconds(lengthMs)}`
    return new Map(lengthMs > limits.repeatingMs ? [['repeating', evidence]] : [])
  }
  if (isFed && behindMs > limits.behindMs)
    return new Map([['old_sound', `frame ${frame} is ${inSeconds(behindMs)} old`]])
  const evidence = `${inSeconds(differingMs)} up to frame ${frame} were not broadcast`
  return new Map(differingMs >= limits.differingMs ? [['other_bytes', evidence]] : [])
}

/** Holds numbers of frames against each other; where frames are broken, some are missing as well. */
export function judgeNumbers(leftOut: Missing | null, limits: Thresholds, nowMs: number): Findings {
  if (!leftOut || nowMs - leftOut.atMs >= limits.strayMs) return new Map()
  const { frames, after } = leftOut
  return new Map([
    ['missing_frames', `${frames} ${frames === 1 ? 'is' : 'are'} missing behind frame ${after}`],
  ])
}

function judgeTitle(
  heard: string | null,
  plan: Plan,
  titles: readonly string[] | null,
  limits: Thresholds,
  nowMs: number,
): string | null {
  if (heard === null) return null
  const rightful = titles ?? [plan.title]
  if (titles === null && nowMs - plan.titleSinceMs <= limits.titleMs) return null
  if (rightful.some((title) => isSameTitle(heard, title))) return null
  return `"${heard}" is named while "${rightful.at(-1)}" is heard`
}

/** Holds the broadcast against the state of the station. */
export function judgeBroadcast(
  sent: Sent | null,
  plan: Plan | null,
  limits: Thresholds,
  stationMs: number,
): Findings {
  const findings = judgeState(plan, limits, stationMs)
  if (!sent || !plan || plan.soundSinceMs === null) return findings
  const sinceMs = sent.atMs - Math.max(plan.titleSinceMs, plan.soundSinceMs)
  if (sinceMs > limits.markerMs && !isSameTitle(sent.title, plan.title))
    findings.set('title', `"${sent.title}" is sent while "${plan.title}" is on air`)
  const offTimeMs = sent.atMs - stationMs
  if (sent.ageMs < limits.driftMs && Math.abs(offTimeMs) > limits.offTimeMs)
    findings.set('drift', `the broadcast is ${inSeconds(offTimeMs)} off its time`)
  else if (sent.positionMs !== null && plan.startedAtMs !== null && sent.entryId === plan.entryId) {
    const driftMs = sent.positionMs - (sent.atMs - plan.startedAtMs)
    if (sinceMs > limits.markerMs && Math.abs(driftMs) > limits.driftMs)
      findings.set('drift', `the sound is ${inSeconds(driftMs)} off the position that is told`)
  }
  return findings
}

/** Holds the state of the station against the time. */
function judgeState(plan: Plan | null, limits: Thresholds, nowMs: number): Findings {
  const lateMs = plan?.dueMs == null ? 0 : nowMs - plan.dueMs
  return new Map(
    lateMs > limits.overdueMs ? [['stale_state', `a change is overdue by ${inSeconds(lateMs)}`]] : [],
  )
}

/** How long before it came an answer was true by its own date, ms. @param today date, epoch ms. */
export const lateMs = (last: Told, today: number): number => today - last.ageMs - last.atMs

/** Holds what an address tells of the air against the plan. @param today date, epoch ms; @param aheadMs of the station's clock. */
export function judgeTold(
  { last, failingMs, failure }: Followed<Told>,
  plan: Plan | null,
  limits: Thresholds,
  { today, aheadMs }: { today: number; aheadMs: number },
): Findings {
  const findings: Findings = new Map()
  if (failingMs > limits.failingMs)
    return findings.set('stale_sync', `nothing told for ${inSeconds(failingMs)}; ${failure}`)
  if (!last) return findings
  const offMs = lateMs(last, today)
  // An answer is of a moment between the question and its coming.
  if (offMs - last.tookMs > limits.toldMs || -offMs > limits.toldMs)
    return findings.set('stale_sync', `what is told is ${inSeconds(offMs)} old`)
  if (!plan || plan.soundSinceMs === null || plan.startedAtMs === null) return findings
  const sinceMs = last.atMs + aheadMs - Math.max(plan.titleSinceMs, plan.soundSinceMs)
  if (sinceMs < limits.toldMs) return findings
  if (last.trackId !== plan.trackId)
    return findings.set('stale_sync', `"${last.trackId}" is told while "${plan.trackId}" is on air`)
  const driftMs = last.startedAtMs === null ? 0 : last.startedAtMs + aheadMs - plan.startedAtMs
  if (Math.abs(driftMs) > limits.driftMs)
    findings.set('drift', `the position that is told is ${inSeconds(-driftMs)} off`)
  return findings
}

/** Holds what a socket receives against the sound; a socket that was cut off has time to connect again. */
export function judgeSync({ last, failingMs, failure }: Followed<Synced>, limits: Thresholds): Findings {
  if (failingMs > limits.failingMs)
    return new Map([['stale_sync', `no sync for ${inSeconds(failingMs)}; ${failure}`]])
  if (!last || failingMs > 0) return new Map()
  const { sinceMs, delayMs, trackId, heardId, driftMs } = last
  if (sinceMs > limits.syncMs) return new Map([['stale_sync', `no sync for ${inSeconds(sinceMs)}`]])
  if (Math.abs(delayMs) > limits.toldMs)
    return new Map([['stale_sync', `a sync was ${inSeconds(delayMs)} old`]])
  if (heardId !== null)
    return new Map([['stale_sync', `sync tells "${trackId}" while "${heardId}" is heard`]])
  const evidence = `the position in sync is ${inSeconds(driftMs)} off the sound`
  return new Map(Math.abs(driftMs) > limits.driftMs ? [['drift', evidence]] : [])
}

/** Holds a playlist against the broadcast. @param last how long before the sound it ended, ms. */
export function judgePlaylist({ last, failingMs, failure }: Followed<number>, limits: Thresholds): Findings {
  if (last === null) return new Map()
  if (failingMs > limits.failingMs)
    return new Map([['old_playlist', `no playlist for ${inSeconds(failingMs)}; ${failure}`]])
  const evidence = `it ends ${inSeconds(last)} before the sound`
  return new Map(last > limits.playlistMs ? [['old_playlist', evidence]] : [])
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
