const ONCE_PER_MS = 2_000
const TOGETHER_MS = 100

/** Replies with a long list that is the same for everybody. */
export interface BatchedReplies {
  /** Replies soon, but to the same socket at most every 2 s; earlier requests are answered then. */
  ask(socketId: string): void
  close(): void
}

/** @param send sends the list to all of these sockets at once, so that it is serialized once. */
export function createBatchedReplies(send: (socketIds: string[]) => void): BatchedReplies {
  const asking = new Set<string>()
  const answered = new Set<string>()
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
    const due = [...asking].filter((socketId) => !answered.has(socketId))
    if (due.length === 0) return
    send(due)
    for (const socketId of due) {
      asking.delete(socketId)
      answered.add(socketId)
    }
    after(ONCE_PER_MS, () => {
      for (const socketId of due) answered.delete(socketId)
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
