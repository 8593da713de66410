import type { QueueItem } from '@solstice/contracts'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { trackLine } from '../../../listener/format.ts'
import { usePanel, useStation, useTexts, useToasts } from '../../data/panel.ts'
import { useOnAirTexts } from '../on-air-context.ts'
import { followDrag } from './follow-drag.ts'
import { travelPx } from './places.ts'

/** A row on its way: under the pointer, while Alt is held, after it was picked up with a click, or told to the station. */
export interface Move {
  is: 'dragged' | 'stepped' | 'picked' | 'sent'
  item: QueueItem
  /** Positions, 1 = next. */
  from: number
  to: number
  /** How far the row is from its place, px down. */
  byPx: number
  /** Of all rows, when it began. */
  heightsPx: readonly number[]
}

export interface Moving {
  move: Move | null
  /** For screen readers. */
  said: string
  press(event: PointerEvent, position: number): void
  /** Picks a row up, or puts down the one that is held. */
  toggle(event: MouseEvent, position: number): void
  /** Puts the row that is held to a position. */
  dropAt(to: number): void
  /** For the list around the rows. */
  keyDown(event: KeyboardEvent): void
  keyUp(event: KeyboardEvent): void
  focusOut(event: FocusEvent): void
}

/** A move that the station doesn't answer in this time is given up. */
const ANSWER_MS = 5_000

/** Moves rows of the queue: dragged by the handle, with Alt and the arrows, or picked up with a click and put down with another. */
export function useMoving(props: {
  list: RefObject<HTMLElement | null>
  items: readonly QueueItem[]
  placesOf: (position: number) => readonly number[]
}): Moving {
  const { list, items, placesOf } = props
  const station = useStation()
  const toasts = useToasts()
  const t = useOnAirTexts()
  const { offline } = useTexts()
  const { log } = usePanel()
  const { move, latest, change, said, say } = useMove(list, items)

  /** A row of the list that may be moved now, in its place. */
  const lift = (is: Move['is'], position: number): Move | null => {
    const item = items[position - 1]
    if (!item || latest.current?.is === 'sent' || !placesOf(position).length) return null
    // As of now: what was drawn last may be half a second old.
    const secsLeft = Math.ceil((log.cooldowns.value.remove - station.stationNowMs()) / 1000)
    if (secsLeft > 0) {
      toasts.show({ is: 'failed', text: t.waitMove(secsLeft) })
      return null
    }
    const heightsPx = rowsOf(list).map(({ offsetHeight }) => offsetHeight)
    return { is, item, from: position, to: position, byPx: 0, heightsPx }
  }
  const placed = (held: Move, to: number) => {
    if (latest.current?.to !== to) say(t.nowAt(trackLine(held.item), to))
    change({ ...held, to, byPx: travelPx(held.heightsPx, held.from, to) })
  }
  const cancel = () => {
    if (latest.current) say(t.putBack(trackLine(latest.current.item)))
    change(null)
  }
  const drop = () => {
    const held = latest.current
    if (!held || held.is === 'sent') return
    const { item, from, to, heightsPx } = held
    const isOnline = station.link.value === 'online'
    if (!isOnline) toasts.show({ is: 'failed', text: offline })
    if (from === to || !isOnline) return cancel()
    station.send('admin_move_song', { id: item.id, from, to })
    change({ ...held, is: 'sent', byPx: travelPx(heightsPx, from, to) })
  }
  const step = (held: Move, by: -1 | 1) => {
    const places = [...placesOf(held.from), held.from].sort((a, b) => a - b)
    const to = places[places.indexOf(held.to) + by]
    if (to !== undefined) placed(held, to)
  }
  const drag = useDragged({ lift, placesOf, placed, change, drop, cancel })

  return {
    move,
    said,
    press: drag.press,
    toggle({ detail }, position) {
      // The click of a key has no number.
      if (detail > 0 && drag.wasDrag()) return
      const held = latest.current
      if (held?.is === 'picked' && held.from === position) return drop()
      const lifted = lift('picked', position)
      if (!lifted) return
      change(lifted)
      say(t.pickedUp(trackLine(lifted.item)))
    },
    dropAt(to) {
      if (latest.current) placed(latest.current, to)
      drop()
    },
    ...keysOf({ list, latest, lift, step, drop, cancel }),
  }
}

const rowsOf = (list: RefObject<HTMLElement | null>) => [...(list.current?.children ?? [])] as HTMLLIElement[]

/** While Alt is held rows are stepped; one that was picked up needs no Alt. */
function keysOf(deps: {
  list: RefObject<HTMLElement | null>
  latest: RefObject<Move | null>
  lift: (is: 'stepped', position: number) => Move | null
  step: (held: Move, by: -1 | 1) => void
  drop: () => void
  cancel: () => void
}): Pick<Moving, 'keyDown' | 'keyUp' | 'focusOut'> {
  const { list, latest, lift, step, drop, cancel } = deps
  return {
    keyDown(event) {
      const held = latest.current
      const by = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key as 'ArrowUp' | 'ArrowDown']
      if (event.key === 'Escape' && held && held.is !== 'sent') cancel()
      else if (by && (event.altKey || held?.is === 'picked')) {
        const row = (event.target as HTMLElement).closest('li')
        const moving = held ?? (row && lift('stepped', rowsOf(list).indexOf(row) + 1))
        if (moving && moving.is !== 'sent' && moving.is !== 'dragged') step(moving, by)
      } else return
      event.preventDefault()
      event.stopPropagation()
    },
    keyUp(event) {
      if (event.key !== 'Alt' || latest.current?.is !== 'stepped') return
      event.preventDefault()
      drop()
    },
    focusOut({ relatedTarget }) {
      const is = latest.current?.is
      const isInside = relatedTarget instanceof Node && list.current?.contains(relatedTarget)
      if (isInside || !(is === 'stepped' || (is === 'picked' && relatedTarget))) return
      cancel()
    },
  }
}

/** The move that is on its way, until the queue shows it or the station refuses it; the focus goes along. */
function useMove(list: RefObject<HTMLElement | null>, items: readonly QueueItem[]) {
  const station = useStation()
  const toasts = useToasts()
  const { unreachable } = useTexts()
  const t = useOnAirTexts()
  const [state, setState] = useState<Move | null>(null)
  const [said, say] = useState('')
  const latest = useRef(state)
  const change = (next: Move | null) => {
    latest.current = next
    setState(next)
  }
  /** The queue may have changed under it. */
  const move = state && items[state.from - 1]?.id === state.item.id ? state : null
  useLayoutEffect(() => {
    const old = latest.current
    if (move || !old || old.is === 'dragged') return
    change(null)
    if (old.is !== 'sent') return say(t.putBack(trackLine(old.item)))
    const { activeElement } = document
    const isArrived = items[old.to - 1]?.id === old.item.id
    if (isArrived && (!activeElement || activeElement === document.body))
      list.current?.children[old.to - 1]?.querySelector('button')?.focus()
  }, [items])
  useEffect(() => {
    if (state?.is !== 'sent') return
    const timer = setTimeout(() => {
      toasts.show({ is: 'failed', text: unreachable })
      change(null)
    }, ANSWER_MS)
    const stop = station.on('admin_error', () => change(null))
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [state?.is, station])
  return { move, latest, change, said, say }
}

/** The row under the pointer, at the nearest place that is allowed. */
function useDragged(deps: {
  lift: (is: 'dragged', position: number) => Move | null
  placesOf: (position: number) => readonly number[]
  placed: (held: Move, to: number) => void
  change: (next: Move) => void
  drop: () => void
  cancel: () => void
}) {
  const { lift, placesOf, placed, change, drop, cancel } = deps
  const isDrag = useRef(false)
  return {
    press(event: PointerEvent, position: number) {
      isDrag.current = false
      if (event.button !== 0) return
      const places = [position, ...placesOf(position)]
      let held: Move | null = null
      followDrag(event, {
        moved(byPx) {
          if (!isDrag.current) held = lift('dragged', position)
          isDrag.current = true
          if (!held) return
          const { heightsPx } = held
          const ways = places.map((to) => ({ to, px: travelPx(heightsPx, position, to) }))
          const off = ({ px }: { px: number }) => Math.abs(px - byPx)
          const { to } = ways.reduce((best, way) => (off(way) < off(best) ? way : best))
          const all = ways.map(({ px }) => px)
          placed(held, to)
          change({ ...held, to, byPx: Math.min(Math.max(byPx, Math.min(...all)), Math.max(...all)) })
        },
        dropped: () => held && drop(),
        cancelled: () => held && cancel(),
      })
    },
    /** True for the click that ends a drag. */
    wasDrag() {
      const was = isDrag.current
      isDrag.current = false
      return was
    },
  }
}
