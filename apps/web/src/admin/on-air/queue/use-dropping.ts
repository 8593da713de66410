import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { followDrag } from './follow-drag.ts'

/** A track on its way from the library to the queue. */
export interface Dropped {
  title: string
  /** Place of the pointer in the window, px. */
  at: { x: number; y: number }
  /** The position that it would take, 1 = next; null where it can't be dropped. */
  place: number | null
}

export interface Dropping {
  held: Dropped | null
  /** Follows a press on a track until it is let go over the queue, at one of these places. */
  press(event: PointerEvent, title: string, places: readonly number[], onDrop: (place: number) => void): void
  /** True for the click that ends a drag. */
  wasDrag(): boolean
}

/** How far beside the queue a track may still be let go. */
const BESIDE_PX = 48

/** Tracks that are dragged onto the queue. @param list the queue with its rows. */
export function useDropping(list: RefObject<HTMLElement | null>): Dropping {
  const [held, setHeld] = useState<Dropped | null>(null)
  const [drag] = useState({ is: false })
  return {
    held,
    press(event, title, places, onDrop) {
      drag.is = false
      if (event.button !== 0) return
      let place: number | null = null
      followDrag(event, {
        moved(_, at) {
          drag.is = true
          place = placeAt(list.current, places, at)
          setHeld({ title, at, place })
        },
        dropped() {
          setHeld(null)
          if (place !== null) onDrop(place)
        },
        cancelled: () => setHeld(null),
      })
    },
    wasDrag() {
      const was = drag.is
      drag.is = false
      return was
    },
  }
}

/** The nearest of some places to a point over the queue. */
function placeAt(
  list: HTMLElement | null,
  places: readonly number[],
  { x, y }: { x: number; y: number },
): number | null {
  const around = list?.getBoundingClientRect()
  if (!list || !around || x < around.left - BESIDE_PX || x > around.right + BESIDE_PX) return null
  const topOf = (place: number) => list.children[place - 1]?.getBoundingClientRect().top ?? around.bottom
  const offPx = (place: number) => Math.abs(topOf(place) - y)
  return places.reduce<number | null>(
    (best, place) => (best === null || offPx(place) < offPx(best) ? place : best),
    null,
  )
}
