import { type Mode, modes } from '@solstice/contracts'
import type { PlayoutState, Schedule } from './state.ts'

/** The mode of the schedule at a moment. */
export function naturalMode(schedule: Schedule, atMs: number): Mode {
  return schedule.changes.findLast((change) => change.atMs <= atMs)?.mode ?? schedule.natural
}

/** The mode due at a moment: the forced one, else the natural one, of those that have music (rule M3). */
export function dueMode({ forced, schedule, nightMode, emptyModes }: PlayoutState, atMs: number): Mode {
  const isForced = forced !== null && (forced.untilMs === null || atMs < forced.untilMs)
  const wanted = isForced ? forced.mode : naturalMode(schedule, atMs)
  if (!nightMode || !emptyModes.includes(wanted)) return wanted
  return modes.find((mode) => !emptyModes.includes(mode)) ?? wanted
}
