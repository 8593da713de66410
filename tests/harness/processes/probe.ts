import { once } from 'node:events'
import { sleep } from '@solstice/station'
import { inForm } from '../long-form.ts'
import { type Process, start, type Teardown } from './processes.ts'

const EVERY_MS = inForm({ short: 50, long: 20 })
/** An otherwise idle server, whose response time shows how busy the machine is. */
const IDLE_SERVER = `
const server = require('node:http').createServer((_, response) => response.end('ok'))
server.listen(0, '127.0.0.1', () => console.log('idle on ' + server.address().port))
`
/** Asks from a process of its own: what the test itself is busy with delays no reply. */
const PROBER = `
let isOver = true
const ask = async (address) => (await fetch(address)).text()
const timesOf = async (address) => {
  const times = []
  while (!isOver) {
    const askedAtMs = performance.now()
    await ask(address)
    times.push(performance.now() - askedAtMs)
    await new Promise((resolve) => setTimeout(resolve, ${EVERY_MS}))
  }
  return times
}
process.on('message', async (addresses) => {
  isOver = addresses.length === 0
  if (!isOver) process.send(await Promise.all(addresses.map(timesOf)))
})
process.once('disconnect', () => process.exit())
Promise.all(process.argv.slice(1).map(ask)).then(() => console.log('ready'))
`

/** Times of the replies of a server, ms. */
interface Times {
  most: number
  /** Of a hundred replies one takes longer. */
  p99: number
  count: number
}

/** Polls a server and an idle one beside it on the same machine. */
export async function openProbe(t: Teardown, url: string) {
  const idleServer: Process = start(t, 'node', ['-e', IDLE_SERVER], {})
  const [, port] = /idle on (\d+)/.exec(await idleServer.printed(/idle on \d+/)) ?? []
  const addresses = [url, `http://127.0.0.1:${port}`]
  const prober = start(t, 'node', ['-e', PROBER, ...addresses], {}, 'ipc')
  await prober.printed(/ready/)
  return {
    /** Replies of each while something was done. */
    async during(work: () => Promise<unknown>): Promise<{ asked: Times; idle: Times }> {
      const told = Promise.race([
        once(prober.child, 'message') as Promise<[[number[], number[]]]>,
        prober.exited.then(() => {
          throw new Error(`a reply failed:\n${prober.output}`)
        }),
      ])
      told.catch(() => {})
      prober.child.send(addresses)
      let isOver = false
      // An attack comes from this process, and takes the machine as well.
      const own = longest(addresses[1]!, () => isOver)
      await work().finally(() => {
        isOver = true
        if (prober.child.connected) prober.child.send([])
      })
      const [[asked, idle]] = await told
      const { most, ...others } = summed(idle)
      return { asked: summed(asked), idle: { ...others, most: Math.max(most, await own) } }
    },
  }
}

async function longest(address: string, isOver: () => boolean): Promise<number> {
  let longestMs = 0
  while (!isOver()) {
    const askedAtMs = performance.now()
    await (await fetch(address)).text()
    longestMs = Math.max(longestMs, performance.now() - askedAtMs)
    await sleep(EVERY_MS)
  }
  return longestMs
}

function summed(times: number[]): Times {
  const sorted = times.toSorted((a, b) => a - b)
  const count = sorted.length
  return { most: sorted.at(-1) ?? 0, p99: sorted[Math.floor(0.99 * count)] ?? 0, count }
}
