import { readStored, writeStored } from '../../ui/browser-storage.ts'
import { createStore, type Store } from '../../ui/store.ts'

/** One of a few choices, the same for all components that show it. */
export interface StoredChoice<T extends string> extends Store<T> {
  readonly choices: readonly T[]
}

/** As on the last visit of this browser; the first choice is the default. */
export function storedChoice<const C extends readonly [string, ...string[]]>(
  name: string,
  choices: C,
): StoredChoice<C[number]> {
  const stored = readStored(name)
  const store = createStore<C[number]>(choices.find((known) => known === stored) ?? choices[0])
  store.subscribe((choice) => writeStored(name, choice))
  return Object.assign(store, { choices })
}
