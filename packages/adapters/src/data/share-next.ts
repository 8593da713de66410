/**
 * Shares runs of `work` among callers. A caller never joins a run that began before it asked, so what it gets is at least
 * as new as its question; all who ask during a run share the next one.
 */
export function shareNext(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  return () => {
    next ??= running.then(() => {
      const run = work()
      running = run.catch(() => {})
      next = null
      return run
    })
    return next
  }
}
