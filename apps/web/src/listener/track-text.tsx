import './tracks.css'

/** Title and artist, as a row of a list shows them. */
export function TrackText({ track }: { track: { title: string; artist: string } }) {
  return (
    <span class="track-text">
      <b>{track.title}</b>
      {track.artist && <i class="unseen">, </i>}
      <span>{track.artist}</span>
    </span>
  )
}
