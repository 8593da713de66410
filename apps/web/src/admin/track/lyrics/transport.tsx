import { useState } from 'preact/hooks'
import { useStore } from '../../../ui/store.ts'
import { Icon } from '../../ui/icon.tsx'
import { Waveform } from '../../ui/state/waveform.tsx'
import { usePeaks } from '../use-peaks.ts'
import { useTrack } from '../use-track.ts'
import { useEditor, useLyricsTexts } from './editor-context.ts'
import { formatTime } from './text/lrc.ts'

const zooms = [1, 4, 10]
const STEP_S = 0.1

/** The sound with its playhead and marker, and the buttons for those without a keyboard. */
export function Transport(props: {
  markerS: number | null
  onSeek: (toS: number) => void
  onMove: (byS: number) => void
  onMarker: () => void
  onStamp: () => void
}) {
  const { markerS, onSeek, onMove, onMarker, onStamp } = props
  const { player, lyrics } = useEditor()
  const t = useLyricsTexts()
  const state = useStore(player.state)
  const isPlaying = state.is === 'playing'
  return (
    <section class="transport" aria-label={t.waveform}>
      <Shape markerS={markerS} onSeek={onSeek} />
      <div class="transport-buttons">
        <button
          type="button"
          class="tool transport-play"
          aria-label={isPlaying ? t.pause : t.play}
          onClick={player.toggle}
        >
          <Icon name={isPlaying ? 'pause' : 'play'} />
        </button>
        <Clock />
        <button
          type="button"
          class="button primary"
          aria-disabled={!lyrics.isSynced}
          title={lyrics.isSynced ? undefined : t.syncFirst}
          onClick={onStamp}
        >
          {t.stamp} <kbd>T</kbd>
        </button>
        <span class="transport-steps">
          <button type="button" class="text-button" aria-label={t.back} onClick={() => onMove(-STEP_S)}>
            {t.backShort}
          </button>
          <button type="button" class="text-button" aria-label={t.forward} onClick={() => onMove(STEP_S)}>
            {t.forwardShort}
          </button>
        </span>
        {markerS !== null && (
          <button type="button" class="text-button" onClick={onMarker}>
            {t.toMarker} {formatTime(markerS)}
          </button>
        )}
        {state.is === 'failed' && (
          <p class="denied" role="alert">
            {t.noAudio}
          </p>
        )}
      </div>
    </section>
  )
}

function Clock() {
  const { player } = useEditor()
  return <output class="transport-clock">{formatTime(useStore(player.positionS))}</output>
}

/** The waveform, whole or the part around the playhead. */
function Shape({ markerS, onSeek }: { markerS: number | null; onSeek: (toS: number) => void }) {
  const { player, lyrics, currentId } = useEditor()
  const { id, duration } = useTrack()
  const t = useLyricsTexts()
  const peaks = usePeaks(id)
  const state = useStore(player.state)
  const positionS = useStore(player.positionS)
  const [zoom, setZoom] = useState(1)
  const played = 'durationS' in state ? state.durationS : 0
  const durationS = (peaks.is === 'ready' && peaks.durationS) || played || duration || 0
  const shape = peaks.is === 'ready' ? peaks.peaks : []
  const spanS = durationS / zoom
  const fromS = spanS > 0 ? Math.floor(Math.min(positionS, durationS - 0.01) / spanS) * spanS : 0
  const part = (atS: number) => Math.round((atS / (durationS || 1)) * shape.length)
  const line = lyrics.lines.find((one) => one.id === currentId)
  const marks = [
    markerS !== null && { atS: markerS, label: t.marker },
    lyrics.isSynced && line && { atS: line.time, label: line.text },
  ].filter((mark) => mark !== false && mark !== undefined)
  return (
    <>
      <Waveform
        peaks={shape.slice(part(fromS), part(fromS + spanS))}
        durationS={spanS}
        positionS={positionS - fromS}
        markers={marks
          .map((mark) => ({ ...mark, atS: mark.atS - fromS }))
          .filter(({ atS }) => atS >= 0 && atS <= spanS)}
        label={t.waveform}
        height={72}
        stepS={STEP_S}
        onSeek={(toS) => onSeek(fromS + toS)}
      />
      <div class="transport-about">
        <span class="hint" role="status">
          {peaks.is === 'measuring' && t.measuring}
          {(peaks.is === 'unknown' || (peaks.is === 'ready' && !shape.length)) && t.noPeaks}
        </span>
        {zooms.map((times) => (
          <button
            key={times}
            type="button"
            class="text-button"
            aria-label={t.zoom(times)}
            aria-pressed={times === zoom}
            onClick={() => setZoom(times)}
          >
            ×{times}
          </button>
        ))}
      </div>
    </>
  )
}
