/** The process turns to other things after so long: nobody must wait until something is done for thousands. */
const PIECE_MS = 4

/** True when all steps could be done before other things have their turn. */
export function isDoneSoon(steps: Iterator<unknown>): boolean {
  const untilMs = performance.now() + PIECE_MS
  while (!steps.next().done) if (performance.now() >= untilMs) return false
  return true
}

/** Does the same for each of many, who may come at once, a piece in each turn of the event loop. */
export function createPieces<One>(act: (one: One) => void): { add(one: One): void } {
  const waiting: One[] = []
  function* acting() {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) yield act(one)
  }
  let isDue = false
  const turn = () => {
    isDue = !isDoneSoon(acting())
    if (isDue) setImmediate(turn)
  }
  return {
    add(one) {
      waiting.push(one)
      if (isDue) return
      isDue = true
      setImmediate(turn)
    },
  }
}
