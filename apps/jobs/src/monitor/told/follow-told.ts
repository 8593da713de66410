import { type Config, createMonitorTokens } from '@solstice/adapters'
import { dateNow, type WallClock } from '@solstice/station'
import { type Findings, judgeSync, judgeTold, lateMs, type Synced, THRESHOLDS, type Told } from '../judge.ts'
import type { Plan } from '../plan.ts'
import { createStepFilter, SETTLED_MS } from './clock-steps.ts'
import { pollTold } from './poll.ts'
import { followSync, type SoundThen } from './sync.ts'

/**
 * Follows what an address tells of the air: on request, and on a socket.
 *
 * @param soundAt the sound of its stream at a station time; null = none to compare with.
 */
export function followTold(
  address: string,
  deps: { clock: WallClock; config: Pick<Config, 'artTokenSecret'>; now: () => number },
  soundAt: (stationMs: number) => SoundThen | null,
) {
  const { clock, config, now } = deps
  const tokens = createMonitorTokens(config)
  const today = () => dateNow(clock)
  const told = pollTold(address, now)
  const sync = followSync(address, {
    now,
    today,
    token: () => tokens.issue(today()),
    soundAt: (date) => soundAt(date + clock.aheadMs()),
  })
  const steady = {
    told: createStepFilter<Told>(now, SETTLED_MS),
    sync: createStepFilter<Synced>(now, SETTLED_MS),
  }
  return {
    judge(plan: Plan | null): Findings {
      const { toldMs } = THRESHOLDS
      const dates = { today: today(), aheadMs: clock.aheadMs() }
      const toldNow = steady.told(told.now(), (last) => lateMs(last, dates.today), toldMs)
      const syncNow = steady.sync(sync.now(), ({ delayMs }) => delayMs, toldMs)
      return new Map([...judgeTold(toldNow, plan, THRESHOLDS, dates), ...judgeSync(syncNow, THRESHOLDS)])
    },
    forgive: sync.forgive,
    stop() {
      told.stop()
      sync.stop()
    },
  }
}
