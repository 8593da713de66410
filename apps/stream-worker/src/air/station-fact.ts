import type { Ports } from '@solstice/adapters'
import type { Fact, Pace } from '@solstice/playout'
import { scheduleNow } from '@solstice/station'
import type { Air } from './air.ts'
import { every } from './every.ts'

/** The schedule covers only a few days, so it is renewed regularly. */
const SCHEDULE_INTERVAL_MS = 60_000

export type StationFact = Extract<Fact, { type: 'station' }>

/** The station's settings, and its schedule as of now. */
export function stationFact({ config, clock }: Pick<Ports, 'config' | 'clock'>, pace: Pace): StationFact {
  return {
    type: 'station',
    pace,
    schedule: scheduleNow(config, clock),
    nightMode: config.nightMode,
    limits: {
      modeSwitchCooldownMs: config.modeSwitchCooldownS * 1000,
      preparingMinMs: config.preparingMinS * 1000,
      groupInsertCooldownMs: config.groupInsertCooldownS * 1000,
      queueAddCooldownMs: config.queueAddCooldownS * 1000,
      queueRemoveCooldownMs: config.queueRemoveCooldownS * 1000,
      queueSkipCooldownMs: config.queueSkipCooldownS * 1000,
      trackRequestCooldownMs: config.suggestCooldownS * 1000,
      trackRequestExpiryMs: config.suggestExpiryS * 1000,
    },
  }
}

/** Keeps the schedule of the air correct: day and night follow the wall clock, which may be set. */
export function keepSchedule(air: Air, { config, clock }: Pick<Ports, 'config' | 'clock'>): void {
  const revise = () => {
    const fact = stationFact({ config, clock }, air.state.pace)
    if (JSON.stringify(fact.schedule) !== JSON.stringify(air.state.schedule)) air.tell(fact)
  }
  every(SCHEDULE_INTERVAL_MS, revise, air.leaving)
  const stop = clock.onSet(revise)
  air.leaving.addEventListener('abort', stop)
}
