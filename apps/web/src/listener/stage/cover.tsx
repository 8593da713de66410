import './cover.css'
import type { Cover } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { type CoverSize, coverSources, coverUrl } from '../../ui/cover-url.ts'

const LOAD_SPREAD_MS = 1500

/** A cover in a square that is there before it. Without one there is a small horizon. */
export function CoverImage(props: { cover: Cover | null; sizes: CoverSize[]; width: string; alt: string }) {
  const { cover, sizes, width, alt } = props
  return (
    // By script: in the page as the station sends it, styles are not allowed.
    <span
      class="track-cover"
      ref={(box) => box?.style.setProperty('background', cover?.color ?? '')}
      data-empty={cover === null}
    >
      {cover ? <Loaded key={cover.id} id={cover.id} {...{ sizes, width, alt }} /> : <NoCover />}
    </span>
  )
}

function Loaded({ id, sizes, width, alt }: { id: string; sizes: CoverSize[]; width: string; alt: string }) {
  const [isLoaded, setLoaded] = useState(false)
  return (
    <img
      src={coverUrl(id, sizes[0]!)}
      srcset={coverSources(id, ...sizes)}
      sizes={width}
      width={sizes[0]}
      height={sizes[0]}
      alt={alt}
      data-loaded={isLoaded}
      // It may have come before this script.
      ref={(image) => {
        if (image?.complete && image.naturalWidth > 0) setLoaded(true)
      }}
      onLoad={() => setLoaded(true)}
    />
  )
}

/** A sun behind a line, in the manner of the page. */
function NoCover() {
  return (
    <svg viewBox="0 0 64 64" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5">
      <path d="M8 44Q32 28 56 44M24 35a8.5 8.5 0 0 1 16 0" />
    </svg>
  )
}

/** A cover, once its turn has come: all listeners hear a new track at once, so their requests are spread. */
export function useSpread(cover: Cover | null): Cover | null {
  const [shown, setShown] = useState(cover)
  useEffect(() => {
    if (cover?.id === shown?.id) return
    // The page has just come, or there is nothing to load.
    const waitMs = shown === null || cover === null ? 0 : Math.random() * LOAD_SPREAD_MS
    const timer = setTimeout(() => setShown(cover), waitMs)
    return () => clearTimeout(timer)
  }, [cover?.id])
  return shown
}
