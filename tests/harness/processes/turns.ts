/**
 * The most CPU time, in ms, of a single turn of the event loop during `work`. Nobody else is served in that time, and
 * unlike wall time it does not depend on the load of the machine.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  let turnBegan = process.cpuUsage()
  const endTurn = () => {
    const { user, system } = process.cpuUsage(turnBegan)
    longest = Math.max(longest, (user + system) / 1000)
    turnBegan = process.cpuUsage()
    if (!isDone) setImmediate(endTurn)
  }
  setImmediate(endTurn)
  await work().finally(() => {
    isDone = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return longest
}
