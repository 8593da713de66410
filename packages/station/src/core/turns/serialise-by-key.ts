/** Makes a queue of one per key, as `serialise` does; a key is forgotten as soon as nothing waits for it. */
export function serialiseByKey<K>(): <T>(key: K, work: () => Promise<T>) => Promise<T> {
  const last = new Map<K, Promise<unknown>>()
  return async (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work)
    const settled = result.catch(() => {})
    last.set(key, settled)
    try {
      return await result
    } finally {
      if (last.get(key) === settled) last.delete(key)
    }
  }
}
