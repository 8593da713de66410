import type { RadioState } from '@solstice/contracts'
import { useEffect } from 'preact/hooks'
import type { Radio } from '../../radio/radio.ts'
import { type CoverSize, coverUrl } from '../../ui/cover-url.ts'
import { useStore } from '../../ui/store.ts'
import { useMediaPosition } from './media-position.ts'

interface Shown {
  state: RadioState
  title: string
  station: string
}

const COVER_SIZES: CoverSize[] = [96, 256, 512]

/** Shows the track on lock screens, and handles media keys. */
export function useMediaSession(radio: Radio, shown: Shown | null): void {
  useMediaPosition(radio)
  const sound = useStore(radio.sound)
  const session = globalThis.navigator?.mediaSession ?? null
  const coverId = shown?.state.cover?.id ?? null

  useEffect(() => {
    if (!session || !shown) return
    session.metadata = new MediaMetadata({
      title: shown.title,
      artist: shown.state.artist || shown.station,
      album: shown.state.album,
      artwork: artworkOf(coverId),
    })
  }, [session, shown?.title, shown?.state.artist, shown?.state.album, coverId, shown?.station])

  // A lock screen keeps its pause button while the sound starts or is retried.
  const isOn = sound.is === 'playing' || sound.is === 'starting' || sound.is === 'retrying'
  useEffect(() => {
    if (session) session.playbackState = isOn ? 'playing' : sound.is === 'off' ? 'none' : 'paused'
  }, [session, sound.is, isOn])

  useEffect(() => {
    const handle = (action: MediaSessionAction, handler: () => void) => {
      try {
        session?.setActionHandler(action, handler)
      } catch {
        // Browsers throw at actions that they don't know.
      }
    }
    handle('play', () => radio.play())
    handle('pause', () => radio.pause())
    handle('stop', () => radio.pause())
  }, [session, radio])
}

/** Square images; the station's own without a cover. */
function artworkOf(coverId: string | null): MediaImage[] {
  if (coverId === null)
    return [{ src: new URL('/icon-512.png', location.href).href, sizes: '512x512', type: 'image/png' }]
  return COVER_SIZES.map((size) => ({
    src: new URL(coverUrl(coverId, size), location.href).href,
    sizes: `${size}x${size}`,
    type: 'image/webp',
  }))
}
