import './artist-art.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { get, getWrappedImage } from '../../api.ts'
import type { Radio } from '../../radio/radio.ts'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'
import { artVisibility } from './art-visibility.ts'
import { skyTint } from './sky-tint.ts'

const FADE_INTERVAL_MS = 500
const LOAD_SPREAD_MS = 2000

/** A picture of the artist; its colour is null when the station does not know it yet. */
interface Art {
  url: string
  color: string | null
}

/** The artist's portrait behind the horizon, in a sky of its colour, or of that of the cover. */
export function ArtistArt({ isHidden }: { isHidden: boolean }) {
  const { radio } = useRadio()
  const box = useRef<HTMLDivElement>(null)
  const cover = useStore(radio.heard)?.state.cover ?? null
  const art = useArt(radio, isHidden)
  const color = isHidden ? null : (art?.color ?? cover?.color ?? null)

  useEffect(() => {
    if (!art && !color) return
    const fade = () => {
      const duration = radio.heard.value?.state.duration ?? 0
      box.current?.style.setProperty('--shown', artVisibility(radio.position(), duration).toFixed(2))
    }
    fade()
    const timer = setInterval(fade, FADE_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [art, color, radio])

  return (
    <div class="art" ref={box} aria-hidden="true">
      {color && (
        <div
          class="art-sky"
          ref={(sky) => {
            sky?.style.setProperty('--day', skyTint(color, 'day'))
            sky?.style.setProperty('--night', skyTint(color, 'night'))
          }}
        />
      )}
      {art && <Portrait key={art.url} url={art.url} />}
    </div>
  )
}

/** Appears as a whole, in its own shape. */
function Portrait({ url }: { url: string }) {
  const [shape, setShape] = useState('')
  const take = ({ naturalWidth, naturalHeight }: HTMLImageElement) =>
    setShape(`${naturalWidth} / ${naturalHeight}`)
  return (
    <div class="art-portrait" style={{ aspectRatio: shape }} data-loaded={shape !== ''}>
      <img src={url} alt="" onLoad={(event) => take(event.currentTarget)} />
    </div>
  )
}

/** The picture of the artist who is heard; null while there is none. */
function useArt(radio: Radio, isHidden: boolean): Art | null {
  const heard = useStore(radio.heard)
  const config = useStore(radio.config)
  const [art, setArt] = useState<Art | null>(null)
  const state = heard?.state
  const isAllowed = state?.uiSettings.artistArts[state.mode === 'night' ? 'nightEnabled' : 'dayEnabled']
  const artist = isAllowed && !isHidden ? state.artist : ''
  const isLocal = config?.musicSource !== 'cloud'

  useEffect(() => {
    setArt(null)
    if (!artist) return
    let isGone = false
    let objectUrl = ''
    const show = (found: Art | null) => {
      if (!found) return
      if (isLocal) objectUrl = found.url
      if (isGone) return URL.revokeObjectURL(objectUrl)
      setArt(found)
    }
    // All listeners hear the new track at once; their requests are spread over two seconds.
    const load = () => fetchArt(radio, artist, isLocal).then(show, () => {})
    const timer = setTimeout(load, Math.random() * LOAD_SPREAD_MS)
    return () => {
      isGone = true
      clearTimeout(timer)
      if (objectUrl) URL.revokeObjectURL(objectUrl)
    }
  }, [artist, isLocal, radio])
  return art
}

/** A local picture comes wrapped and needs the token; one in a bucket is a plain image. Null for artists without one. */
async function fetchArt(radio: Radio, artist: string, isLocal: boolean): Promise<Art | null> {
  const token = await radio.connection.artToken.get()
  const { url, color = null } = await get(
    '/api/art/url',
    { artist, absent: 'null' },
    { 'X-Art-Token': token },
  )
  if (url === null) return null
  return { url: isLocal ? await getWrappedImage(url, token) : url, color }
}
