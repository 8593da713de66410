import type { Ports } from '@solstice/adapters'
import type { Air } from './air/air.ts'
import { every } from './air/every.ts'
import type { AirSound } from './air-sound.ts'

const CHECK_INTERVAL_MS = 2_000

/** Removes live participants of a dead replica. It must be missing twice, because it may have just started. */
export function watchReplicas(
  air: Air,
  sound: Pick<AirSound, 'mixedUntilMs' | 'planChanged'>,
  { replicas, clock, log }: Pick<Ports, 'replicas' | 'clock' | 'log'>,
): void {
  let missingBefore: readonly string[] = []
  const check = async () => {
    const { participants, requests, approvals } = air.state.live
    const named = new Set([...participants, ...requests, ...approvals].map(({ replica }) => replica))
    const missing = named.size > 0 ? await replicas.missing([...named]) : []
    const gone = missing.filter((replica) => missingBefore.includes(replica))
    missingBefore = missing
    if (air.phase !== 'on-air') return
    for (const replica of gone) {
      const nowMs = Math.max(clock.nowMs(), sound.mixedUntilMs)
      air.passTime(nowMs)
      log.warn({ replica }, 'API replica gone; its live participants removed')
      air.take({ type: 'command', command: { type: 'replica-gone', replica } }, nowMs)
      sound.planChanged()
    }
  }
  // Without Redis a dead replica cannot be told from a live one.
  every(CHECK_INTERVAL_MS, () => check().catch(() => {}), air.leaving)
}
