import { useEffect, useState } from 'preact/hooks'
import { useFoundTracks } from '../../data/found-tracks.ts'
import { hrefOf, navigate } from '../../data/location.ts'
import { type PaletteItem, startingFirst } from '../../data/palette.ts'
import { useAdmin, useAir, useStation, useTexts } from '../../data/panel.ts'
import { useQuery } from '../../data/query.ts'
import { parts } from '../../parts.ts'
import type { Place } from './places.ts'

/** Tracks are offered once this much was typed. */
const SONG_FROM = 2
/** Those whose titles begin with the query are put first among so many. */
const LOOKED_AT = 50
const MOST_ARTISTS = 3

/** Tabs and settings of the parts that this admin may open; none until they are loaded. */
export function usePlaceItems(): PaletteItem[] {
  const { verdict, locale } = useAdmin()
  const t = useTexts()
  const [places, setPlaces] = useState<readonly Place[]>([])
  useEffect(() => void import('./places.ts').then((module) => setPlaces(module.places)), [])
  return places.flatMap(({ part: id, query, title, words, access = {} }) => {
    const part = parts.find((one) => one.id === id)!
    if (verdict(part.access).is !== 'open' || verdict(access).is !== 'open') return []
    return {
      id: `place ${id} ${Object.values(query).join(' ')}`,
      title: title[locale],
      about: t.paletteGo,
      words: `${words} ${Object.values(title).join(' ')}`,
      run: () => navigate(hrefOf(id, query)),
    }
  })
}

/** The helpers, for those who may change their rights. */
export function useHelperItems(): PaletteItem[] {
  const { verdict } = useAdmin()
  const t = useTexts()
  const isOpen = verdict({ super: true, capabilities: ['helperAdmins'] }).is === 'open'
  const helpers = useQuery(isOpen ? 'GET /api/admin/admins' : null, {})
  if (helpers.is !== 'ready') return []
  return helpers.data.admins.map(({ adminId, login }) => ({
    id: `helper ${adminId}`,
    title: login,
    about: t.paletteHelper,
    run: () => navigate(hrefOf('station', { tab: 'helpers' })),
  }))
}

/**
 * Tracks of both modes and their artists. Enter queues a track of the mode on air; other tracks, and those of admins who may not
 * queue, are opened, and an artist's tracks are shown in the library.
 */
export function useTrackItems(query: string, most: number): PaletteItem[] {
  const { may } = useAdmin()
  const station = useStation()
  const t = useTexts()
  const onAir = useAir()?.mode
  const state = useFoundTracks(query.length >= SONG_FROM ? query : '', 'both', LOOKED_AT)
  if (state.is !== 'ready') return []
  const mayQueue = may({ allOf: ['queue_manage'] })
  const songs = state.data.items.map(({ id, title, artist, mode }) => {
    const queues = mayQueue && mode === onAir
    return {
      id,
      title: `${title} — ${artist}`,
      about: queues ? t.paletteSong : t.paletteOpenSong,
      run: () =>
        queues
          ? station.send('admin_add_song', { id, orderType: 'lastinline' })
          : navigate(hrefOf('library', { sel: id })),
    }
  })
  const artists = artistsIn(state.data.items, query).map((artist) => ({
    id: `artist ${artist}`,
    title: artist,
    about: t.paletteArtist,
    run: () => navigate(hrefOf('library', { q: artist })),
  }))
  return [...artists.slice(0, MOST_ARTISTS), ...startingFirst(songs, query)].slice(0, most)
}

/** The artists whose own names have all words of a query. */
function artistsIn(tracks: readonly { artist: string }[], query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const names = new Set(tracks.map(({ artist }) => artist))
  return [...names].filter((name) => words.every((word) => name.toLowerCase().includes(word)))
}
