import './songs.css'

/** Title and artist, as a row of a list shows them. */
export function SongText({ song }: { song: { title: string; artist: string } }) {
  return (
    <span class="song-text">
      <b>{song.title}</b>
      <span>{song.artist}</span>
    </span>
  )
}
