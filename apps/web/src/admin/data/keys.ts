import { useEffect, useRef } from 'preact/hooks'
import { readStored, writeStored } from '../../ui/browser-storage.ts'
import { createStore, type Store } from '../../ui/store.ts'

/** One key, as a letter (`a`), a sign (`/`, `?`) or a name (`Delete`); the layout of the keyboard does not matter. */
export interface Key {
  key: string
  label: string
  run: () => void
}

/** All keys that work now, by whom they belong to; the sheet of keys lists them. */
const sets = createStore<readonly { title: string; keys: readonly Key[] }[]>([])
export const keySets: Store<readonly { title: string; keys: readonly Key[] }[]> = sets

const SWITCH = 'admin_keys'
/** Single keys can be turned off, for those who speak to their computer. */
export const areKeysOn = createStore(readStored(SWITCH) !== 'off')
export function setKeysOn(isOn: boolean): void {
  areKeysOn.set(isOn)
  writeStored(SWITCH, isOn ? 'on' : 'off')
}

/** Keys of a component while it is shown: they work anywhere in the page but in fields, dialogs, and on controls that need them. */
export function useKeys(title: string, keys: readonly Key[]): void {
  const current = useRef(keys)
  current.current = keys
  const labels = keys.map(({ key, label }) => key + label).join()
  useEffect(() => {
    const own = { title, keys: current.current.map((key) => ({ ...key, run: () => runOf(key.key) })) }
    const runOf = (name: string) => current.current.find(({ key }) => key === name)?.run()
    sets.set([...sets.value, own])
    return () => sets.set(sets.value.filter((set) => set !== own))
  }, [title, labels])
}

/** Hands keys to those who want them, until the returned function is called. The newest set is asked first. */
export function followKeys(): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (!areKeysOn.value || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const on = event.target as HTMLElement
    if (on.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], dialog'))
      return
    const found = sets.value.flatMap(({ keys }) => keys).findLast(({ key }) => isPressed(event, key))
    if (!found) return
    event.preventDefault()
    found.run()
  }
  addEventListener('keydown', pressed)
  return () => removeEventListener('keydown', pressed)
}

/** Letters by their place on the keyboard, so that they work in a Ukrainian layout as well. */
export function isPressed(event: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>, key: string): boolean {
  if (/^[a-z]$/.test(key)) return event.code === `Key${key.toUpperCase()}` && !event.shiftKey
  if (key === '/')
    return event.key === '/' || (event.code === 'Slash' && !event.shiftKey && event.key !== '?')
  if (key === '?') return event.key === '?' || (event.code === 'Slash' && event.shiftKey)
  return event.key === key
}
