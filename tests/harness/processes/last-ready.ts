import { until } from '../until.ts'

/**
 * Asks a replica until it is not ready.
 *
 * @param ready asks it, and resolves with the status.
 * @returns ms from now to the last request that it answered as one that is ready.
 */
export async function lastReadyMs(ready: () => Promise<number>): Promise<number> {
  const beganMs = performance.now()
  let lastMs = 0
  await until('it is not ready', async () => {
    const askedMs = performance.now() - beganMs
    const status = await ready()
    if (status === 200) lastMs = askedMs
    return status === 503
  })
  return lastMs
}
