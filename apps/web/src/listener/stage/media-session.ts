import type { RadioState } from '@solstice/contracts'
import { useEffect } from 'preact/hooks'
import type { Radio } from '../../radio/radio.ts'
import { useStore } from '../../ui/store.ts'

interface Shown {
  state: RadioState
  title: string
  artUrl: string
  station: string
}

/** Shows the track on lock screens, and handles media keys. */
export function useMediaSession(radio: Radio, shown: Shown | null): void {
  const sound = useStore(radio.sound)
  const session = globalThis.navigator?.mediaSession ?? null

  useEffect(() => {
    if (!session || !shown) return
    const own = new URL('/icon-512.png', location.href).href
    session.metadata = new MediaMetadata({
      title: shown.title,
      artist: shown.state.artist || shown.station,
      album: shown.state.album,
      artwork: shown.artUrl ? [{ src: shown.artUrl }] : [{ src: own, sizes: '512x512', type: 'image/png' }],
    })
  }, [session, shown?.title, shown?.state.artist, shown?.state.album, shown?.artUrl, shown?.station])

  useEffect(() => {
    if (session)
      session.playbackState = sound.is === 'playing' ? 'playing' : sound.is === 'off' ? 'none' : 'paused'
  }, [session, sound])

  useEffect(() => {
    session?.setActionHandler('play', () => radio.play())
    session?.setActionHandler('pause', () => radio.pause())
    session?.setActionHandler('stop', () => radio.pause())
  }, [session, radio])
}
