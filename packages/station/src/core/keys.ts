/** The key of lyrics and offsets, which belong to artist and title, whatever the file. */
export function lyricsKey(artist: string, title: string): string {
  return `${artist.trim().toLowerCase()}||${title.trim().toLowerCase()}`
}

/** The key of an artist: trimmed, lower case, spaces collapsed, characters illegal in file names replaced. */
export function artistKey(artist: string): string {
  return artist
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[<>:"/\\|?*]|\p{Cc}/gu, '_')
}
