import type { Config } from '@solstice/adapters'
import type { Mode } from '@solstice/contracts'
import { advance, naturalMode } from '@solstice/playout'
import { type StationClock, scheduleOf } from '@solstice/station'
import type { AirMirror } from './stream/air-mirror.ts'

/** The mode that is on air now, also while no worker is alive to say so. */
export function modeOnAir({
  config,
  clock,
  mirror,
}: {
  config: Config
  clock: StationClock
  mirror: AirMirror
}): Mode {
  const nowMs = clock.nowMs()
  return mirror.state
    ? advance(mirror.state, nowMs).state.mode
    : naturalMode(scheduleOf(config, nowMs), nowMs)
}
