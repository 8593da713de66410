import { sleep } from '@solstice/station'
import { type Process, start, type Teardown } from './processes.ts'

const EVERY_MS = 20
/** An otherwise idle server, whose response time shows how busy the machine is. */
const IDLE_SERVER = `
const server = require('node:http').createServer((_, response) => response.end('ok'))
server.listen(0, '127.0.0.1', () => console.log('idle on ' + server.address().port))
`

/** Polls a server and an idle one beside it on the same machine. */
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
    /** The slowest reply of each while something was done, ms. */
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
