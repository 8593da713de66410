import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useProgrammeTexts } from '../texts.ts'
import { type GroupDefs, groupNaming, moveArtist } from './board.ts'
import { dragCard } from './drag.ts'

/** How artists are carried between groups: by mouse, by touch (card, then group), by keyboard. Without a group is the first column. */
export interface Carrying {
  isOn: boolean
  /** The artist that was picked up; null when none is. */
  held: string | null
  /** The place of the column that a card is dragged over; null over none. */
  over: number | null
  /** For screen readers. */
  said: string
  /** Picks an artist up, or puts down the one that is held. */
  toggle(artist: string): void
  /** Puts an artist into a group, or with null into none. */
  drop(artist: string, group: string | null): void
  /** A card may be dragged from here on. */
  grabbed(event: PointerEvent, artist: string): void
  pressed(event: KeyboardEvent, artist: string): void
}

export function useCarrying(props: {
  board: RefObject<HTMLElement | null>
  defs: GroupDefs
  onDefs: (defs: GroupDefs) => void
  isOn: boolean
}): Carrying {
  const { board, defs, onDefs, isOn } = props
  const t = useProgrammeTexts()
  const [held, setHeld] = useState<{ artist: string; before: GroupDefs } | null>(null)
  const [over, setOver] = useState<number | null>(null)
  const [said, setSaid] = useState('')
  const focused = useRef<string | null>(null)
  // A card that moved to another column is another element.
  useLayoutEffect(() => {
    const artist = focused.current
    focused.current = null
    if (artist !== null)
      cardsOf(board.current)
        .find((card) => card.dataset.artist === artist)
        ?.focus()
  })
  const groups = [null, ...Object.keys(defs)]
  const nameOf = (group: string | null) => group ?? t.unassigned
  const place = (artist: string, group: string | null) => {
    onDefs(moveArtist(defs, artist, group))
    focused.current = artist
  }
  const carry = (artist: string, step: number) => {
    const to = groups[groups.indexOf(groupNaming(defs, artist)) + step]
    if (to === undefined) return
    place(artist, to)
    setSaid(t.nowIn(artist, nameOf(to)))
  }
  const toggle = (artist: string) => {
    if (!isOn) return
    if (held?.artist === artist) setSaid(t.dropped(artist, nameOf(groupNaming(defs, artist))))
    else setSaid(t.pickedUp(artist))
    setHeld(held?.artist === artist ? null : { artist, before: defs })
    focused.current = artist
  }
  const drop = (artist: string, group: string | null) => {
    setHeld(null)
    setSaid(t.dropped(artist, nameOf(group)))
    if (groupNaming(defs, artist) !== group) place(artist, group)
  }
  // A drag ends in the groups as they are then.
  const dropAt = useRef((_artist: string, _column: number) => {})
  dropAt.current = (artist, column) => {
    const group = groups[column]
    if (group !== undefined) drop(artist, group)
  }
  return {
    isOn,
    held: held?.artist ?? null,
    over,
    said,
    toggle,
    drop,
    grabbed(event, artist) {
      if (isOn) dragCard(event, { over: setOver, drop: (column) => dropAt.current(artist, column) })
    },
    pressed(event, artist) {
      const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 }
      const step = steps[event.key]
      const isHeld = held?.artist === artist
      if (event.key === 'Escape' && held) {
        onDefs(held.before)
        setHeld(null)
        setSaid(t.putBack(held.artist))
        focused.current = held.artist
      } else if (step && isHeld) carry(artist, step)
      else if (!isHeld && moveFocus(board.current, event)) setSaid('')
      else return
      event.preventDefault()
      event.stopPropagation()
    },
  }
}

const cardsOf = (parent: Element | null | undefined) => [
  ...(parent?.querySelectorAll<HTMLElement>('.artist-card') ?? []),
]

/** Arrows go from card to card: up and down in a column, left and right to the same height of the next one that has cards. */
function moveFocus(board: HTMLElement | null, { key, currentTarget }: KeyboardEvent): boolean {
  const card = currentTarget as HTMLElement
  const own = card.closest('.board-column')
  const cards = cardsOf(own)
  const at = cards.indexOf(card)
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    cards[at + (key === 'ArrowUp' ? -1 : 1)]?.focus()
    return true
  }
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false
  const columns = [...(board?.querySelectorAll('.board-column') ?? [])]
  const index = columns.indexOf(own!)
  const others = key === 'ArrowLeft' ? columns.slice(0, index).reverse() : columns.slice(index + 1)
  const next = others.map(cardsOf).find(({ length }) => length > 0)
  next?.[Math.min(at, next.length - 1)]?.focus()
  return true
}
