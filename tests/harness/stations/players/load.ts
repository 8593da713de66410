import { sleep } from '@solstice/station'
import type { Teardown } from '../../processes/processes.ts'
import { until } from '../../until.ts'

/** Sends idempotent requests with a token again and again, until the test ends. */
export function startLoad(t: Teardown, url: string, token: string) {
  const failed: string[] = []
  let answered = 0
  let isOver = false
  const clients = ['/api/history', '/api/public/config', '/healthz'].map(async (path) => {
    while (!isOver) {
      const outcome = await fetch(`${url}${path}?token=${token}`).then(
        async (answer) => (await answer.text()) && `${answer.status}`,
        String,
      )
      if (outcome !== '200') failed.push(`${path}: ${outcome}`)
      answered++
      await sleep(40)
    }
  })
  t.teardown(() => {
    isOver = true
    return Promise.all(clients)
  })
  return {
    failed,
    /** Resolves after this many more replies. */
    async more(count: number) {
      const wanted = answered + count
      await until(`${count} more answers`, () => answered >= wanted)
    },
  }
}

/** Asks until there are some answers, whatever waits, then calls `goOn`. @returns the different statuses of all answers. */
export async function askWhile(url: string, goOn: () => unknown): Promise<number[]> {
  const asked: Promise<number>[] = []
  let answered = 0
  const ask = async () => {
    const { status } = await fetch(`${url}/healthz`)
    answered++
    return status
  }
  while (answered < 20) {
    asked.push(ask())
    await sleep(20)
  }
  await goOn()
  return [...new Set(await Promise.all(asked))]
}
