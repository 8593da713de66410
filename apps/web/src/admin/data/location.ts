import { parsePath, pathOf } from '../../ui/language/language.ts'
import { createStore, useStore } from '../../ui/store.ts'

/** A place in the panel: the part that is shown, and its state as the address keeps it. */
export interface Place {
  /** '' = the first part that the admin may use. */
  part: string
  query: ReadonlyMap<string, string>
}

function read(): Place {
  return {
    part: parsePath(location.pathname)?.part ?? '',
    query: new Map(new URLSearchParams(location.search)),
  }
}

const place = createStore<Place>(read())

/** Follows the browser's Back and Forward until the returned function is called. */
export function followHistory(): () => void {
  const moved = () => place.set(read())
  moved()
  addEventListener('popstate', moved)
  return () => removeEventListener('popstate', moved)
}

/** The address of a part in the language of the page. */
export function hrefOf(part: string, query: Record<string, string> = {}): string {
  const { locale = 'uk' } = parsePath(window.location.pathname) ?? {}
  const given = Object.entries(query).filter(([, value]) => value)
  return pathOf({ page: 'adpanel', locale, part }) + (given.length ? `?${new URLSearchParams(given)}` : '')
}

/** Goes to an address of the panel. `replace`: Back does not return to the present one. */
export function navigate(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  place.set(read())
}

/** Handles a press on a link to an address of the panel; with Ctrl, ⌘ or Shift the browser opens it elsewhere. */
export const followLink = (href: string) => (event: MouseEvent) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  navigate(href)
}

export const usePlace = (): Place => useStore(place)

/**
 * A text that the address keeps under a name, and how it is changed. While somebody types, pass `replace`, so that Back
 * leaves the page instead of undoing letters. Never for secrets.
 */
export function useUrlState(
  name: string,
  initial = '',
): [string, (value: string, how?: { replace?: boolean }) => void] {
  const value = usePlace().query.get(name) ?? initial
  const set = (next: string, how?: { replace?: boolean }) => {
    const { part, query } = read()
    const changed = { ...Object.fromEntries(query), [name]: next === initial ? '' : next }
    navigate(hrefOf(part, changed), how)
  }
  return [value, set]
}

/** The content of a part's drawer: the id in the address, null when it is closed. */
export function useDrawer(): { selected: string | null; open: (id: string) => void; close: () => void } {
  const [selected, set] = useUrlState('sel')
  return { selected: selected || null, open: (id) => set(id), close: () => set('') }
}
