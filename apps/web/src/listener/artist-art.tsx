import { useEffect, useRef, useState } from 'preact/hooks'
import { get, getWrappedImage } from '../api.ts'
import type { Radio } from '../radio/radio.ts'
import { useStore } from '../ui/store.ts'
import { artVisibility } from './art-visibility.ts'

const STEP_MS = 500
const CROWD_SPREAD_MS = 2000

/** The artist's picture, very softly behind the sky. */
export function ArtistArt({
  radio,
  isHidden,
  onUrl,
}: {
  radio: Radio
  isHidden: boolean
  onUrl: (url: string) => void
}) {
  const heard = useStore(radio.heard)
  const config = useStore(radio.config)
  const box = useRef<HTMLDivElement>(null)
  const [url, setUrl] = useState('')
  const state = heard?.state
  const isAllowed = state?.uiSettings.artistArts[state.mode === 'night' ? 'nightEnabled' : 'dayEnabled']
  const artist = isAllowed && !isHidden ? state.artist : ''
  const isLocal = config?.musicSource !== 'cloud'

  useEffect(() => {
    setUrl('')
    onUrl('')
    if (!artist) return
    let isGone = false
    let made = ''
    const show = (found: string) => {
      if (isLocal) made = found
      if (isGone) return URL.revokeObjectURL(made)
      setUrl(found)
      onUrl(found)
    }
    // The picture comes slowly anyway: a crowd need not ask for it in one moment.
    const ask = () => artistArt(radio, artist, isLocal).then(show, () => {})
    const timer = setTimeout(ask, Math.random() * CROWD_SPREAD_MS)
    return () => {
      isGone = true
      clearTimeout(timer)
      if (made) URL.revokeObjectURL(made)
    }
  }, [artist, isLocal, radio])

  useEffect(() => {
    if (!url) return
    const fade = () => {
      const duration = radio.heard.value?.state.duration ?? 0
      box.current?.style.setProperty('--shown', artVisibility(radio.position(), duration).toFixed(2))
    }
    fade()
    const timer = setInterval(fade, STEP_MS)
    return () => clearInterval(timer)
  }, [url, radio])

  return (
    <div class="art" ref={box} aria-hidden="true">
      {url && <img src={url} alt="" />}
    </div>
  )
}

/** A local picture is wrapped and must be fetched with the pass; one in the cloud is plain. */
async function artistArt(radio: Radio, artist: string, isLocal: boolean): Promise<string> {
  const token = await radio.connection.artToken.get()
  const { url } = await get('/api/art/url', { artist }, { 'X-Art-Token': token })
  return isLocal ? getWrappedImage(url, token) : url
}
