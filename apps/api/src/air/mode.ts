import type { Config } from '@solstice/adapters'
import type { Mode } from '@solstice/contracts'
import { dateNow, scheduleOf, type WallClock } from '@solstice/station'
import type { AirMirror } from '../stream/mirror.ts'

/** The mode on air now, also while no worker is alive. */
export function modeOnAir({
  config,
  clock,
  mirror,
}: {
  config: Config
  clock: WallClock
  mirror: AirMirror
}): Mode {
  return mirror.at(clock.nowMs())?.mode ?? scheduleOf(config, dateNow(clock)).natural
}
