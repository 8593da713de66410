import { useEffect, useMemo } from 'preact/hooks'
import { usePanel } from '../../data/panel.ts'
import { useQuery } from '../../data/query.ts'

const PATH = '/api/admin/song-editor/peaks'
/** While the station measures a track. */
const ASK_AGAIN_MS = 5_000

/** The stored waveform of a track for `Waveform`: peaks from 0 to 1, none until they are known. */
export function usePeaks(songId: string | null): readonly number[] {
  const { queries } = usePanel()
  const state = useQuery(songId ? `GET ${PATH}` : null, { query: { songId: songId ?? '' } })
  const peaks = state.is === 'ready' ? state.data.peaks : []
  useEffect(() => {
    if (peaks) return
    const timer = setTimeout(() => queries.invalidate(PATH), ASK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [state, peaks])
  return useMemo(() => (peaks ?? []).map((peak) => peak / 255), [peaks])
}
