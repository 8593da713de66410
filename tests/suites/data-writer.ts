import { writeSync } from 'node:fs'
import { openJsonData } from '../../packages/adapters/src/data/json/store.ts'
import { openSpools } from '../../packages/adapters/src/data/spool.ts'
import { played } from './records.ts'

/**
 * A writer process: `<folder> <name> <records>`. It prints `ready`, begins at SIGUSR2, adds that many records to the
 * history, counts them in one record shared by all writers, and prints each number once it is durable; with a
 * fourth argument it then stores a delivery in a spool.
 */
const [folder = '', name = '', records = '0', spools] = process.argv.slice(2)
const say = (line: string) => writeSync(1, `${line}\n`)

// Node ignores the signal for a file that grew too large; tap's exit watcher would take it for the end.
process.on('SIGXFSZ', () => {})
process.once('SIGUSR2', async () => {
  try {
    await write()
  } catch (error) {
    const said: string[] = []
    for (let one = error; one instanceof Error; one = one.cause) said.push(one.message)
    say(`refused: ${said.join(': ')}`)
  }
  clearInterval(alive)
})
const alive = setInterval(() => {}, 60_000)
const data = await openJsonData(folder)
say('ready')

async function write() {
  for (let n = 1; n <= Number(records); n++) {
    const { id } = (await data.history.insert(played(name, n)))!
    say(`safe ${n} as ${id}`)
    let counted = 0
    while (counted === 0) {
      const { offset } = (await data.offsets.get('counter'))!
      counted = await data.offsets.update({ key: 'counter', offset }, { offset: offset + 1 })
    }
  }
  await data.close()
  say('done')
  if (!spools) return
  const payment = { kind: 'failed', eventId: '1', donationId: 'none', reference: 'r' } as const
  const delivery = { id: '1', provider: 'checkout_provider_1', payment, receivedAt: 1 } as const
  await openSpools(folder).deliveries.keep(delivery)
  say('kept')
}
