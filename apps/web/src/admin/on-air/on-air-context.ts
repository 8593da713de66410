import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { useAdmin, usePanel } from '../data/panel.ts'
import type { Cooldown } from '../data/station-log.ts'
import { type OnAirTexts, onAirTexts } from './texts.ts'

export const useOnAirTexts = (): OnAirTexts => onAirTexts[useAdmin().locale]

/** What is left of a cooldown of the queue: whole seconds, and the part of its length. */
export function useCooldown(name: Cooldown): { secsLeft: number; part: number } {
  const { log, connection } = usePanel()
  const { endsAtMs, lastsMs } = useStore(log.cooldowns)[name]
  const leftMs = Math.max(0, endsAtMs - connection.stationNowMs())
  useNow(leftMs > 0 ? 500 : null)
  return { secsLeft: Math.ceil(leftMs / 1000), part: leftMs / lastsMs }
}
