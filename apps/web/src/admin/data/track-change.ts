import { useEffect, useRef } from 'preact/hooks'
import { useAir, usePanel } from './panel.ts'

/** Asks again for answers, by the beginnings of their paths, whenever another track goes on air. */
export function useOutdatedByTrack(...paths: string[]): void {
  const { queries } = usePanel()
  const air = useAir()
  const track = air && `${air.artist} ${air.title}`
  const known = useRef(track)
  useEffect(() => {
    if (known.current !== null && known.current !== track) queries.invalidate(...paths)
    known.current = track
  }, [track])
}
