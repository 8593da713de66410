import t from 'tap'
import { repeatTogether, wokenEvery } from './repeat-together.ts'
import { sleep } from './sleep.ts'

/** Repeats for a while, and tells at which turns of the event loop each of these periods had its action. */
async function turnsOf(periods: readonly number[], forMs: number): Promise<number[][]> {
  let turn = 0
  const turns = periods.map((): number[] => [])
  const ends = periods.map((everyMs, i) =>
    repeatTogether(everyMs, () => {
      turns[i]!.push(turn)
      queueMicrotask(() => setImmediate(() => turn++))
    }),
  )
  await sleep(forMs)
  for (const end of ends) end()
  return turns
}

t.test('actions happen in the turns of those with a shorter period', async (t) => {
  const [often, seldom, again] = (await turnsOf([40, 120, 40], 1_000)) as [number[], number[], number[]]
  t.ok(seldom.length >= 2, `${seldom.length} times`)
  t.ok(seldom.length <= 9)
  t.same(often, again)
  t.same(
    seldom.filter((turn) => !often.includes(turn)),
    [],
  )
})

t.test('an action that was ended does not happen, even by one of the same turn', async (t) => {
  const acted: string[] = []
  const ends: (() => void)[] = []
  for (const name of ['first', 'second'])
    ends.push(
      repeatTogether(20, () => {
        acted.push(name)
        for (const end of ends) end()
      }),
    )
  await sleep(200)
  t.same(acted, ['first'])
})

t.test('what was missed while the process was busy is not made up for', async (t) => {
  let count = 0
  const end = repeatTogether(10, () => count++)
  const untilMs = performance.now() + 200
  while (performance.now() < untilMs);
  await sleep(1)
  end()
  t.ok(count <= 2, `${count} times`)
})

t.test(
  'what wakes the process anyway has the actions done that fall due about then, each once',
  async (t) => {
    const [everyMs, woken] = [100, 10]
    let inTime = 0
    let isWoken = false
    const end = repeatTogether(everyMs, () => {
      if (isWoken) inTime++
    })
    const wake = () => {
      isWoken = true
      wokenEvery(everyMs)
      isWoken = false
    }
    wake()
    inTime = 0
    // A little sooner each time, as chunks come.
    for (let i = 0; i < woken; i++) {
      const untilMs = performance.now() + everyMs - 8
      while (performance.now() < untilMs);
      wake()
      wake()
    }
    end()
    t.equal(inTime, woken)
  },
)

t.test('actions come by themselves when nothing wakes the process any more', async (t) => {
  wokenEvery(20)
  const turns = await turnsOf([20], 500)
  t.ok(turns[0]!.length >= 2, `${turns[0]!.length} times`)
})
