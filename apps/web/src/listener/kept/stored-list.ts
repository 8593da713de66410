import { readStoredList, writeStored } from '../../ui/browser-storage.ts'
import { createStore, type Store } from '../../ui/store.ts'

/** A list that this browser remembers. */
export interface StoredList<T> extends Store<readonly T[]> {
  update(change: (list: readonly T[]) => readonly T[]): void
}

/**
 * A list in the browser's storage, the same in all tabs.
 *
 * @param isItem tells items from what else may be stored under that name.
 * @param maxItems the first ones are kept.
 */
export function storedList<T>(
  name: string,
  isItem: (value: unknown) => value is T,
  maxItems: number,
): StoredList<T> {
  const read = () => readStoredList(name).filter(isItem).slice(0, maxItems)
  const store = createStore<readonly T[]>(read())
  globalThis.addEventListener?.('storage', (event) => {
    if (event.key === name) store.set(read())
  })
  return Object.assign(store, {
    update(change: (list: readonly T[]) => readonly T[]) {
      const after = change(store.value).slice(0, maxItems)
      writeStored(name, JSON.stringify(after))
      store.set(after)
    },
  })
}
