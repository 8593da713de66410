/** Lyrics and offsets belong to artist and title, whatever the file. */
export function lyricsKey(artist: string, title: string): string {
  return `${artist.trim().toLowerCase()}||${title.trim().toLowerCase()}`
}

/** The key of an artist: trimmed, lower case, spaces collapsed, characters that file names cannot hold replaced. */
export function artistKey(artist: string): string {
  return artist
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[<>:"/\\|?*]|\p{Cc}/gu, '_')
}

/** A text of one line as it is kept: trimmed, spaces collapsed. */
export function tidyText(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}
