import { useEffect, useRef } from 'preact/hooks'
import { createStore, type Store } from '../../ui/store.ts'

/** Something the palette offers. */
export interface PaletteItem {
  id: string
  title: string
  /** The kind of thing it is, or the effect of Enter. */
  about?: string
  /** Words under which it is found, too. */
  words?: string
  run: () => void
}

const registered = createStore<readonly (() => readonly PaletteItem[])[]>([])
export const paletteSources: Store<readonly (() => readonly PaletteItem[])[]> = registered

/** Offers things in the palette while the component is shown. */
export function usePaletteItems(items: readonly PaletteItem[]): void {
  const current = useRef(items)
  current.current = items
  useEffect(() => {
    const own = () => current.current
    registered.set([...registered.value, own])
    return () => registered.set(registered.value.filter((source) => source !== own))
  }, [])
}

/** The items in which every word of the query occurs; those whose title begins with it come first. */
export function findItems(
  items: readonly PaletteItem[],
  query: string,
  most: number,
): readonly PaletteItem[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = items.filter(({ title, about = '', words: more = '' }) => {
    const text = `${title} ${about} ${more}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return startingFirst(found, query).slice(0, most)
}

/** The items whose title begins with the query's first word, then the others. */
export function startingFirst(items: readonly PaletteItem[], query: string): readonly PaletteItem[] {
  const [start = ''] = query.trim().toLowerCase().split(/\s+/)
  const rank = ({ title }: PaletteItem) => (title.toLowerCase().startsWith(start) ? 0 : 1)
  return start ? items.toSorted((a, b) => rank(a) - rank(b)) : items
}
