/** Work that can wait behind what has come meanwhile, done in the order in which it was put off. */
export interface Later<Work> {
  /** True for the first who asks in a turn of the event loop, while nothing waits. */
  isFree(): boolean
  add(work: Work): void
  /** Does all of it now. */
  flush(): void
  readonly size: number
}

/** Pieces of work in one turn of the event loop. */
const AT_A_TIME = 4
/** Longest that anything waits in a crowd that never ends, but for a turn of the event loop. */
const MAX_WAIT_MS = 250

export function createLater<Work>(act: (work: Work) => void): Later<Work> {
  let waiting: { work: Work; sinceMs: number }[] = []
  let isTaken = false

  const turn = () => {
    const nowMs = performance.now()
    let done = 0
    while (done < waiting.length && (done < AT_A_TIME || nowMs - waiting[done]!.sinceMs > MAX_WAIT_MS))
      act(waiting[done++]!.work)
    waiting = waiting.slice(done)
    isTaken = waiting.length > 0
    if (isTaken) setImmediate(turn)
  }

  return {
    isFree() {
      if (isTaken) return false
      isTaken = true
      setImmediate(turn)
      return true
    },
    add(work) {
      waiting.push({ work, sinceMs: performance.now() })
    },
    flush() {
      for (const { work } of waiting.splice(0)) act(work)
    },
    get size() {
      return waiting.length
    },
  }
}
