import type { Mode } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { get, getWrappedImage } from '../../../api.ts'
import { coverUrl } from '../../../ui/cover-url.ts'
import { useAdmin, useStation } from '../../data/panel.ts'
import { Icon } from '../../ui/icon.tsx'

/** The cover of the track, or the picture of the artist, or the sun or moon of the mode where there is none. */
export function Cover({ id, artist, mode }: { id: string | null; artist: string; mode: Mode }) {
  const art = useArt(id === null ? artist : '')
  const url = id === null ? art : coverUrl(id, 96)
  return (
    <span class="cover" aria-hidden="true">
      {url ? <img src={url} alt="" /> : <Icon name={mode === 'night' ? 'moon' : 'sun'} size={22} />}
    </span>
  )
}

/** The address of an artist's picture; '' while there is none. */
function useArt(artist: string): string {
  const station = useStation()
  const { config } = useAdmin()
  const [url, setUrl] = useState('')
  useEffect(() => {
    setUrl('')
    if (!artist || !config.capabilities.artistArts) return
    let isGone = false
    let objectUrl = ''
    const isLocal = config.musicSource !== 'cloud'
    const stop = station.on('listener_uid', async ({ artToken }) => {
      stop()
      try {
        const asked = { artist, absent: 'null' } as const
        const { url: at } = await get('/api/art/url', asked, { 'X-Art-Token': artToken })
        // Most artists have no picture.
        if (at === null) return
        const found = isLocal ? await getWrappedImage(at, artToken) : at
        if (isLocal) objectUrl = found
        if (isGone) URL.revokeObjectURL(objectUrl)
        else setUrl(found)
      } catch {
        // The track is shown without it.
      }
    })
    // Art is given to listeners: the panel asks as one of them, once per track.
    station.send('listener_init')
    return () => {
      isGone = true
      stop()
      if (objectUrl) URL.revokeObjectURL(objectUrl)
    }
  }, [artist])
  return url
}
