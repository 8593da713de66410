/** Repeats an action every `ms`, the first time after `ms`, until `stopping` is aborted. */
export function every(ms: number, act: () => unknown, stopping: AbortSignal): void {
  if (stopping.aborted) return
  const timer = setInterval(act, ms)
  stopping.addEventListener('abort', () => clearInterval(timer), { once: true })
}
