/**
 * The most CPU time, in ms, that one turn of the event loop takes while something is done. Nobody else is served meanwhile;
 * and unlike the time on a clock it does not tell what else the machine has to do.
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
