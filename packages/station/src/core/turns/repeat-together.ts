/** A timer may fire this early; what is due so soon happens at once. */
const EARLY_MS = 5
/** Part of its period, and at most so long, that an action waits for something else to wake the process. */
const SLACK = 0.1
const MAX_SLACK_MS = 40

interface Repeated {
  readonly everyMs: number
  readonly act: () => void
  /** By `nowMs`. */
  dueMs: number
}

const all = new Set<Repeated>()
let timer: NodeJS.Timeout | undefined
/** Time by `performance.now()` of which all actions fall due at multiples of their periods. */
let phaseMs = 0

const nowMs = () => performance.now() - phaseMs

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

/**
 * For what wakes the process every `everyMs`, more or less, whether or not anything is repeated: from now on actions fall due at these
 * moments. They still come by themselves when it doesn't.
 */
export function wokenEvery(everyMs: number): void {
  const sinceMs = nowMs()
  phaseMs += sinceMs - Math.round(sinceMs / everyMs) * everyMs
  actAll()
}

function setTimer(): void {
  clearTimeout(timer)
  if (all.size === 0) return
  const latestMs = Math.min(
    ...[...all].map(({ dueMs, everyMs }) => dueMs + Math.min(everyMs * SLACK, MAX_SLACK_MS)),
  )
  timer = setTimeout(actAll, Math.ceil(latestMs - nowMs())).unref()
}

function actAll(): void {
  const untilMs = nowMs() + EARLY_MS
  const due = [...all].filter(({ dueMs }) => dueMs <= untilMs)
  for (const one of due) one.dueMs = nextMultiple(one.everyMs)
  setTimer()
  for (const one of due) if (all.has(one)) one.act()
}

/** The next time that is a multiple of a period. */
function nextMultiple(everyMs: number): number {
  return (Math.floor((nowMs() + EARLY_MS) / everyMs) + 1) * everyMs
}
