import type { KeptTrack } from '../../kept/favourites.ts'
import { TrackText } from '../../track-text.tsx'

interface Props {
  track: KeptTrack
  note?: string
  onTrack: (track: string) => void
}

export function TrackLink({ track, note, onTrack }: Props) {
  return (
    <button type="button" class="song-link" aria-haspopup="dialog" onClick={() => onTrack(track.id)}>
      <span>
        <TrackText track={track} />
        {note && <span class="nothing">{note}</span>}
      </span>
    </button>
  )
}
