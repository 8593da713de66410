const ONCE_PER_MS = 2_000
const TOGETHER_MS = 100

/** Answers those who ask for a list that is long and the same for everybody. */
export interface BatchedReplies {
  /** Answers soon, but not more often than every 2 s: who asked before that is answered then. */
  ask(socketId: string): void
  close(): void
}

/** @param tell sends the list to all of these at once, so that it is put into JSON once for them. */
export function createBatchedReplies(tell: (socketIds: string[]) => void): BatchedReplies {
  const asking = new Set<string>()
  const told = new Set<string>()
  const timers = new Set<NodeJS.Timeout>()
  const after = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
  }
  let isAnswering = false

  const answer = () => {
    isAnswering = false
    const due = [...asking].filter((socketId) => !told.has(socketId))
    if (due.length === 0) return
    tell(due)
    for (const socketId of due) {
      asking.delete(socketId)
      told.add(socketId)
    }
    after(ONCE_PER_MS, () => {
      for (const socketId of due) told.delete(socketId)
      if (due.some((socketId) => asking.has(socketId))) answerSoon()
    })
  }
  const answerSoon = () => {
    if (isAnswering) return
    isAnswering = true
    after(TOGETHER_MS, answer)
  }

  return {
    ask(socketId) {
      asking.add(socketId)
      answerSoon()
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
