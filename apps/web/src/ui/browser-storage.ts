import { useState } from 'preact/hooks'

/** For this browser, or for this tab until it is closed. */
type StorageName = 'localStorage' | 'sessionStorage'

/** A remembered value; null when there is none, or where the browser stores nothing at all. */
export function readStored(name: string, where: StorageName = 'localStorage'): string | null {
  try {
    return globalThis[where].getItem(name)
  } catch {
    return null
  }
}

/** Remembers a value where the browser allows it; elsewhere it is lost when the page is left. */
export function writeStored(name: string, value: string, where: StorageName = 'localStorage'): void {
  try {
    globalThis[where].setItem(name, value)
  } catch {
    // Storage is forbidden or full.
  }
}

/** A remembered list, whatever its items are; empty where something else is stored. */
export function readStoredList(name: string, where?: StorageName): unknown[] {
  try {
    const list: unknown = JSON.parse(readStored(name, where) ?? '[]')
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

export function removeStored(name: string, where: StorageName = 'localStorage'): void {
  try {
    globalThis[where].removeItem(name)
  } catch {
    // Storage is forbidden: there is nothing to remove.
  }
}

/** One of a few choices, as on the last visit; the first one is the default. */
export function useStoredChoice<const C extends readonly [string, ...string[]]>(
  name: string,
  choices: C,
): [C[number], (choice: C[number]) => void] {
  const [choice, setChoice] = useState<C[number]>(
    () => choices.find((known) => known === readStored(name)) ?? choices[0],
  )
  return [
    choice,
    (next) => {
      writeStored(name, next)
      setChoice(next)
    },
  ]
}
