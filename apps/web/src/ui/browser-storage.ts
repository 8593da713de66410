import { useState } from 'preact/hooks'

/** For this browser, or only for this tab, until it is closed. */
type Keeper = 'localStorage' | 'sessionStorage'

/** What this browser remembers of the listener's choices; null when nothing, or when it keeps nothing at all. */
export function readStored(name: string, where: Keeper = 'localStorage'): string | null {
  try {
    return globalThis[where].getItem(name)
  } catch {
    return null
  }
}

/** Keeps a choice for the next visit, where the browser allows it. */
export function writeStored(name: string, value: string, where: Keeper = 'localStorage'): void {
  try {
    globalThis[where].setItem(name, value)
  } catch {
    // The choice holds until the page is left.
  }
}

/** A choice among a few, as it was left on the last visit; the first is taken when there was none. */
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
