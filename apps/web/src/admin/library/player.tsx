import { useEffect } from 'preact/hooks'
import { formatDuration, trackLine } from '../../listener/format.ts'
import { useStore } from '../../ui/store.ts'
import { usePanel, useTexts } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Icon } from '../ui/icon.tsx'
import { Waveform } from '../ui/state/waveform.tsx'
import { useLibraryTexts } from './library-context.ts'
import type { Preview } from './preview.ts'

/** A waveform that is being measured is there after some seconds. */
const ASK_AGAIN_MS = 3_000
const NO_PEAKS: readonly number[] = []

/** What is previewed, with its waveform to go to any place of it. Nothing while nothing is. */
export function Player({ preview }: { preview: Preview }) {
  const state = useStore(preview.state)
  const t = useLibraryTexts()
  const { close } = useTexts()
  const peaks = usePeaks(state.is === 'off' ? null : state.track.id)
  if (state.is === 'off') return null
  const { track, positionS, durationS } = state
  const isPlaying = state.is === 'playing'
  return (
    <section class="lib-player" aria-label={t.preview}>
      <button
        type="button"
        class="tool"
        aria-label={isPlaying ? t.pause : t.play}
        onClick={() => preview.toggle(track)}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <span class="lib-player-song">
        <b>{track.title}</b>
        <span>{state.is === 'failed' ? t.previewFailed : track.artist}</span>
      </span>
      <span class="lib-player-time">{formatDuration(positionS)}</span>
      <Waveform
        peaks={peaks}
        durationS={durationS}
        positionS={positionS}
        label={t.position(trackLine(track))}
        onSeek={preview.seek}
      />
      <span class="lib-player-time">{formatDuration(durationS)}</span>
      <button type="button" class="tool" onClick={preview.close}>
        <Icon name="close" size={18} />
        <span class="unseen">{close}</span>
      </button>
    </section>
  )
}

/** The stored waveform of a track, from 0 to 1; asked for again while it is measured. */
function usePeaks(songId: string | null): readonly number[] {
  const { queries } = usePanel()
  const found = useQuery(songId ? 'GET /api/admin/song-editor/peaks' : null, {
    query: { songId: songId ?? '' },
  })
  const peaks = found.is === 'ready' ? found.data.peaks : null
  const isMeasured = found.is === 'ready' && !found.isRenewing && !peaks
  useEffect(() => {
    if (!isMeasured) return
    const timer = setTimeout(() => queries.invalidate('/api/admin/song-editor/peaks'), ASK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [isMeasured])
  return scaledPeaks(peaks)
}

const scaled = new WeakMap<readonly number[], readonly number[]>()
/** The same list for the same peaks, so that they are drawn once. */
function scaledPeaks(peaks: readonly number[] | null): readonly number[] {
  if (!peaks) return NO_PEAKS
  const known = scaled.get(peaks) ?? peaks.map((peak) => peak / 255)
  scaled.set(peaks, known)
  return known
}
