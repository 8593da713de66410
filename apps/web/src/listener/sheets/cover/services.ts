/** Music services, and the address of a search there. */
const services = [
  { name: 'Spotify', search: 'https://open.spotify.com/search/{words}' },
  { name: 'Apple Music', search: 'https://music.apple.com/search?term={words}' },
  { name: 'YouTube Music', search: 'https://music.youtube.com/search?q={words}' },
  { name: 'Deezer', search: 'https://www.deezer.com/search/{words}' },
  { name: 'Bandcamp', search: 'https://bandcamp.com/search?q={words}' },
  { name: 'Last.fm', search: 'https://www.last.fm/search/tracks?q={words}' },
] as const

/** Where a track can be looked for. */
export function searchesFor({
  title,
  artist,
}: {
  title: string
  artist: string
}): { name: string; href: string }[] {
  // A slash would be taken for the end of the words, even when it is encoded.
  const words = encodeURIComponent(`${artist} ${title}`.replaceAll('/', ' ').trim())
  return services.map(({ name, search }) => ({ name, href: search.replace('{words}', words) }))
}
