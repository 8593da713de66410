import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { sleep } from './sleep.ts'
import { timeLimit } from './time-limit.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

t.test('a time limit survives the garbage collector, also as one of several signals', async (t) => {
  const stopping = new AbortController()
  const either = AbortSignal.any([stopping.signal, timeLimit(100)])
  // What a turn of the event loop refers to is collected only after it.
  await sleep(10)
  collectGarbage()
  const endMs = performance.now() + 20_000
  while (!either.aborted && performance.now() < endMs) await sleep(10)
  t.equal(either.reason?.name, 'TimeoutError')
})
