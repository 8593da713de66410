import { useEffect, useMemo } from 'preact/hooks'
import { usePanel } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'

const ASK_AGAIN_MS = 2_000
const FULL_SCALE = 255

/** The waveform of a track. While the station measures it, `is` stays `measuring`. */
export type Peaks =
  | { is: 'measuring' | 'unknown' }
  /** `peaks` from 0 to 1; empty when the file has no sound that can be measured. */
  | { is: 'ready'; peaks: readonly number[]; durationS: number | null }

export function usePeaks(id: string): Peaks {
  const { queries } = usePanel()
  const found = useQuery('GET /api/admin/song-editor/peaks', { query: { songId: id } })
  const peaks = found.is === 'ready' ? found.data.peaks : undefined
  const isMeasuring = peaks === null && found.is === 'ready' && !found.isRenewing
  useEffect(() => {
    if (!isMeasuring) return
    const timer = setTimeout(() => queries.invalidate('/api/admin/song-editor/peaks'), ASK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [isMeasuring])
  const scaled = useMemo(() => peaks?.map((peak) => peak / FULL_SCALE), [peaks])
  if (found.is === 'failed') return { is: 'unknown' }
  if (found.is === 'ready' && scaled) return { is: 'ready', peaks: scaled, durationS: found.data.duration }
  return { is: 'measuring' }
}
