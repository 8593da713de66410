import type { Config } from '@solstice/adapters'
import type { Mode } from '@solstice/contracts'
import { advance } from '@solstice/playout'
import { dateNow, scheduleOf, type WallClock } from '@solstice/station'
import type { AirMirror } from '../stream/mirror.ts'

/** The mode that is on air now, also while no worker is alive to say so. */
export function modeOnAir({
  config,
  clock,
  mirror,
}: {
  config: Config
  clock: WallClock
  mirror: AirMirror
}): Mode {
  return mirror.state
    ? advance(mirror.state, clock.nowMs()).state.mode
    : scheduleOf(config, dateNow(clock)).natural
}
