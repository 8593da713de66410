import { useEffect, useState } from 'preact/hooks'

/**
 * A value that announces its changes. Much less than a signals library: the radio's parts need it outside components too,
 * and nothing here depends on derived values.
 */
export interface Store<T> {
  readonly value: T
  set(next: T): void
  subscribe(listener: (value: T) => void): () => void
}

export function createStore<T>(initial: T): Store<T> {
  const listeners = new Set<(value: T) => void>()
  let value = initial
  return {
    get value() {
      return value
    },
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const listener of [...listeners]) listener(value)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The current value of a store; the component renders again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.value)
  useEffect(() => {
    setValue(() => store.value)
    return store.subscribe((next) => setValue(() => next))
  }, [store])
  return value
}
