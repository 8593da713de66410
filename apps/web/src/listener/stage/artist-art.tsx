import './artist-art.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { get, getWrappedImage } from '../../api.ts'
import type { Radio } from '../../radio/radio.ts'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'
import { artVisibility } from './art-visibility.ts'

const FADE_INTERVAL_MS = 500
const LOAD_SPREAD_MS = 2000

/** The artist's picture, very softly behind the sky. */
export function ArtistArt({ isHidden, onUrl }: { isHidden: boolean; onUrl: (url: string) => void }) {
  const { radio } = useRadio()
  const box = useRef<HTMLDivElement>(null)
  const url = useArtUrl(radio, isHidden)
  useEffect(() => onUrl(url), [url])

  useEffect(() => {
    if (!url) return
    const fade = () => {
      const duration = radio.heard.value?.state.duration ?? 0
      box.current?.style.setProperty('--shown', artVisibility(radio.position(), duration).toFixed(2))
    }
    fade()
    const timer = setInterval(fade, FADE_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [url, radio])

  return (
    <div class="art" ref={box} aria-hidden="true">
      {url && <img src={url} alt="" />}
    </div>
  )
}

/** The address of the picture of the artist who is heard; '' while there is none. */
function useArtUrl(radio: Radio, isHidden: boolean): string {
  const heard = useStore(radio.heard)
  const config = useStore(radio.config)
  const [url, setUrl] = useState('')
  const state = heard?.state
  const isAllowed = state?.uiSettings.artistArts[state.mode === 'night' ? 'nightEnabled' : 'dayEnabled']
  const artist = isAllowed && !isHidden ? state.artist : ''
  const isLocal = config?.musicSource !== 'cloud'

  useEffect(() => {
    setUrl('')
    if (!artist) return
    let isGone = false
    let objectUrl = ''
    const show = (found: string) => {
      if (isLocal) objectUrl = found
      if (isGone) return URL.revokeObjectURL(objectUrl)
      setUrl(found)
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
  return url
}

/** A local picture comes wrapped and needs the token; one in a bucket is a plain image. */
async function fetchArt(radio: Radio, artist: string, isLocal: boolean): Promise<string> {
  const token = await radio.connection.artToken.get()
  const { url } = await get('/api/art/url', { artist }, { 'X-Art-Token': token })
  return isLocal ? getWrappedImage(url, token) : url
}
