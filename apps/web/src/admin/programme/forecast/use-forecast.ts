import type { ForecastItem, Settings } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../../data/client.ts'
import { useAir } from '../../data/panel.ts'
import type { QueryState } from '../../data/queries.ts'
import type { SettingsNow } from '../draft/use-draft.ts'
import { differences } from './differences.ts'

export type Origin = 'queue' | 'list'
type Generation = Partial<Settings['generation']>

export interface Hour {
  items: readonly ForecastItem[]
  /** The places at which the unsaved settings make a difference. */
  different: ReadonlySet<number>
}

/** The station is asked this long after the last change. */
const ASK_MS = 500

const ask = async (generation: Generation, seed: number, from: Origin, signal: AbortSignal) =>
  (await call('POST /api/admin/settings/forecast', { body: { generation, seed, from }, signal })).items

/**
 * The next hour by the settings as they are edited, compared with the saved ones. Both are made by the same random choices,
 * so that only the settings make a difference.
 */
export function useForecast(
  saved: SettingsNow,
  unsaved: Generation,
  seed: number,
  from: Origin,
): QueryState<Hour> & { retry: () => void } {
  const track = useAir()?.track
  const [state, setState] = useState<QueryState<Hour>>({ is: 'loading' })
  const [attempt, setAttempt] = useState(0)
  /** The forecast with the saved settings, asked for once while neither they nor the air change. */
  const known = useRef<{ key: string; items: readonly ForecastItem[] } | null>(null)
  const fields = JSON.stringify(unsaved)
  const key = JSON.stringify([seed, from, track, saved.settings.generation])
  useEffect(() => {
    const stop = new AbortController()
    const load = async () => {
      try {
        if (known.current?.key !== key) known.current = { key, items: await ask({}, seed, from, stop.signal) }
        const before = known.current.items
        const items = fields === '{}' ? before : await ask(unsaved, seed, from, stop.signal)
        if (stop.signal.aborted) return
        setState({ is: 'ready', data: { items, different: differences(items, before) }, isStale: false })
      } catch (error) {
        if (!stop.signal.aborted) setState({ is: 'failed', error })
      }
    }
    setState((known) => (known.is === 'failed' ? { is: 'loading' } : known))
    const timer = setTimeout(load, ASK_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [fields, key, attempt])
  return { ...state, retry: () => setAttempt((count) => count + 1) }
}
