/**
 * Runs at most `maxRunning` pieces of work at once; the others wait in order.
 *
 * @param options.maxWaiting with this many waiting, further work is refused with the error that `refusal` makes.
 */
export function limitConcurrency(
  maxRunning: number,
  { maxWaiting = Number.POSITIVE_INFINITY, refusal = () => new Error('too much work is waiting') } = {},
): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < maxRunning) running++
    else if (waiting.length < maxWaiting) await new Promise<void>((resolve) => waiting.push(resolve))
    else throw refusal()
    try {
      return await work()
    } finally {
      // The place is handed to the next in line, so nobody else can take it in between.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
