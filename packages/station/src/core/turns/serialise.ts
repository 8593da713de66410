/** Makes a queue of one: work given to it runs in order, one at a time, and goes on after a failure. */
export function serialise(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}
