import type { AirLease } from '@solstice/station'
import t from 'tap'
import { inForm } from '../../../../../tests/harness/long-form.ts'
import { startRedis } from '../../../../../tests/harness/processes/processes.ts'
import { openBus } from '../../../../../tests/harness/stations/bus.ts'
import { readLease } from './status.ts'

const ROUNDS = inForm({ short: 6, long: 100 })

t.test('whenever several workers start at once, one gets the lease, under a higher token', async (t) => {
  const { url } = await startRedis(t)
  const workers = await Promise.all(Array.from({ length: 5 }, () => openBus(t, url)))
  const { redis } = workers[0]!
  const wrong: string[] = []
  let highest = 0
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 3 === 2) await redis.flushall()
    const stop = new AbortController()
    const taken: AirLease[] = []
    const waits = workers.map(({ bus }) =>
      bus.acquireLease(stop.signal).then(
        (lease) => void taken.push(lease),
        () => {},
      ),
    )
    await Promise.race(waits)
    // Whatever the others asked has been answered.
    await Promise.all(workers.map((worker) => worker.redis.ping()))
    const { isHeld, fencingToken } = await readLease(redis)
    if (taken.length !== 1 || !isHeld) wrong.push(`round ${round}: ${taken.length} have it`)
    if (fencingToken <= highest) wrong.push(`round ${round}: ${fencingToken} after ${highest}`)
    highest = fencingToken
    stop.abort()
    await Promise.all(waits)
    for (const lease of taken) await lease.release()
  }
  t.same(wrong, [], `${ROUNDS} rounds`)
})
