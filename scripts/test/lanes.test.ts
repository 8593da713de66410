import t from 'tap'
import { type Queues, runInLanes } from './lanes.ts'

/** Runs files that end when told to, and tells what runs. */
function files(queues: Queues<string>) {
  const ends = new Map<string, () => void>()
  const ran: string[] = []
  const done = runInLanes(queues, (file) => {
    ran.push(file)
    return new Promise((resolve) => ends.set(file, resolve))
  })
  return { ends, ran, done }
}

t.test('files that wait and files that compute begin side by side, and each runs once', async (t) => {
  const names = (kind: string) => Array.from({ length: 30 }, (_, i) => `${kind}-${i}`)
  const { ends, ran, done } = files({ waiting: names('waiting'), computing: names('computing') })
  t.ok(ran.includes('waiting-0') && ran.includes('computing-0'))
  t.notOk(ran.includes('waiting-29'), 'not all at once')
  let isDone = false
  void done.then(() => {
    isDone = true
  })
  while (!isDone) {
    for (const [file, end] of ends) {
      ends.delete(file)
      end()
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.same(ran.toSorted(), [...names('waiting'), ...names('computing')].sort())
})

t.test('a lane without files of its kind takes those of the other', async (t) => {
  const { ends, ran, done } = files({ waiting: [], computing: ['a', 'b'] })
  t.same(ran, ['a', 'b'])
  for (const end of ends.values()) end()
  await done
})
