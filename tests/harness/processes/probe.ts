import { sleep } from '@solstice/station'
import { type Process, start, type Teardown } from './processes.ts'

const EVERY_MS = 20
/** A server that does nothing else: how long it takes to answer is the machine's doing. */
const IDLE_SERVER = `
const server = require('node:http').createServer((_, response) => response.end('ok'))
server.listen(0, '127.0.0.1', () => console.log('idle on ' + server.address().port))
`

/** Asks a server, and beside it an idle one on the same machine, again and again. */
export async function openProbe(t: Teardown, url: string) {
  const idle: Process = start(t, 'node', ['-e', IDLE_SERVER], {})
  const [, port] = /idle on (\d+)/.exec(await idle.printed(/idle on \d+/)) ?? []
  const longest = async (address: string, isOver: () => boolean) => {
    let longestMs = 0
    while (!isOver()) {
      const askedAtMs = performance.now()
      await (await fetch(address)).text()
      longestMs = Math.max(longestMs, performance.now() - askedAtMs)
      await sleep(EVERY_MS)
    }
    return longestMs
  }
  return {
    /** The longest that either took to answer while something was done, in ms. */
    async during(work: () => Promise<unknown>): Promise<{ ms: number; idleMs: number }> {
      let isOver = false
      const [ms, idleMs] = await Promise.all([
        longest(url, () => isOver),
        longest(`http://127.0.0.1:${port}`, () => isOver),
        work().finally(() => {
          isOver = true
        }),
      ])
      return { ms, idleMs }
    },
  }
}
