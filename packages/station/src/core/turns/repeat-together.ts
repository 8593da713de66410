/** A timer may fire this early; what is due so soon happens at once. */
const EARLY_MS = 5

interface Repeated {
  readonly everyMs: number
  readonly act: () => void
  dueMs: number
}

const all = new Set<Repeated>()
let timer: NodeJS.Timeout | undefined

/**
 * Repeats an action every `everyMs`, until the returned function is called; the first time comes sooner. Actions fall due at
 * multiples of their period, so those of a process share the turns in which it wakes (timer coalescing): waking costs more
 * than most of them. Doesn't keep the process alive.
 */
export function repeatTogether(everyMs: number, act: () => void): () => void {
  const one: Repeated = { everyMs, act, dueMs: nextMultiple(everyMs) }
  all.add(one)
  setTimer()
  return () => {
    all.delete(one)
    if (all.size === 0) clearTimeout(timer)
  }
}

function setTimer(): void {
  clearTimeout(timer)
  const dueMs = Math.min(...[...all].map((one) => one.dueMs))
  timer = setTimeout(actAll, Math.ceil(dueMs - performance.now())).unref()
}

function actAll(): void {
  const nowMs = performance.now() + EARLY_MS
  const due = [...all].filter(({ dueMs }) => dueMs <= nowMs)
  for (const one of due) one.dueMs = nextMultiple(one.everyMs)
  setTimer()
  for (const one of due) if (all.has(one)) one.act()
}

/** The next time, by `performance.now()`, that is a multiple of a period. */
function nextMultiple(everyMs: number): number {
  return (Math.floor((performance.now() + EARLY_MS) / everyMs) + 1) * everyMs
}
