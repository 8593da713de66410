import './track-line.css'
import { useEffect, useRef } from 'preact/hooks'
import { post } from '../../api.ts'
import { coverUrl } from '../../ui/cover-url.ts'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'
import { TrackText } from '../track-text.tsx'
import { createTrackCovers } from './track-covers.ts'

/** Rows that change for all listeners at once ask within this time. */
const SPREAD_MS = 1500
/** Rows of the same moment, such as hits of a search, ask together. */
const TOGETHER_MS = 100
/** How near to the view a row asks, so that it rarely appears without its cover. */
const NEAR = '200px'

const covers = createTrackCovers(async (tracks) => (await post('/api/covers', { tracks })).covers)

interface Props {
  /** The id of the track. */
  id: string
  track: { title: string; artist: string }
  /** The list changes for all listeners at once. */
  isLive?: boolean
}

/** Cover, title and artist, as a row of a list shows them. */
export function TrackLine({ id, track, isLive = false }: Props) {
  return (
    <span class="track-line">
      <TrackCover id={id} withinMs={isLive ? SPREAD_MS : TOGETHER_MS} />
      <TrackText track={track} />
    </span>
  )
}

/** A small cover. Its room is there before it, unless the station has no covers. */
function TrackCover({ id, withinMs }: { id: string; withinMs: number }) {
  const { radio } = useRadio()
  const box = useRef<HTMLSpanElement>(null)
  const cover = useStore(covers.known).get(id)
  const isOnAir = Boolean(useStore(radio.heard)?.state.cover)
  const hasRoom = useStore(covers.hasAny) || isOnAir

  useEffect(() => {
    if (!box.current || covers.known.value.has(id)) return
    const nearby = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        nearby.disconnect()
        covers.want(id, withinMs)
      },
      { rootMargin: NEAR },
    )
    nearby.observe(box.current)
    return () => nearby.disconnect()
  }, [id, withinMs])

  return (
    <span class="row-cover" ref={box} data-room={hasRoom} aria-hidden="true">
      {cover && (
        <img
          key={cover}
          src={coverUrl(cover, 96)}
          width={40}
          height={40}
          alt=""
          loading="lazy"
          decoding="async"
        />
      )}
    </span>
  )
}
