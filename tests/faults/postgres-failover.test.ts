import { setImmediate as turn } from 'node:timers/promises'
import type { DataStore } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { openPostgresData } from '../../packages/adapters/src/data/postgres/store.ts'
import { inForm } from '../harness/long-form.ts'
import { startPostgres } from '../harness/servers/postgres.ts'
import { until } from '../harness/until.ts'

const ROUNDS = inForm({ short: 1, long: 10 })
const log = pino({ level: 'silent' })

const note = (data: DataStore, operationType: string) => data.audit.insert({ operationType } as never)
const notes = async (data: DataStore) => (await data.audit.find()).map(({ operationType }) => operationType)

t.test('the primary of PostgreSQL is killed under load, and its standby takes its place', async (t) => {
  let primary = await startPostgres(t)
  let standby = await primary.startStandby()
  for (let round = 0; round < ROUNDS; round++) {
    // As an operator writes it down: nobody says which of them is the primary.
    const hosts = [standby, primary].map(({ port }) => `127.0.0.1:${port}`).join(',')
    const address = `postgres://solstice@${hosts}/postgres?target_session_attrs=read-write`
    const stores = await Promise.all([openPostgresData(address, 4, log), openPostgresData(address, 4, log)])
    const before = await notes(stores[0])
    const safe: string[] = []
    let refused = 0
    let isOver = false
    const write = async (name: string, data: DataStore) => {
      for (let n = 0; !isOver; n++) {
        try {
          await note(data, `${round} ${name} ${n}`)
          safe.push(`${round} ${name} ${n}`)
        } catch (error) {
          t.match(error, { code: 'DATA_UNAVAILABLE' })
          refused++
        }
        await turn()
      }
    }
    const writing = ['a', 'b', 'c', 'd'].map((name, i) => write(name, stores[i % 2]!))
    const more = async () => {
      const count = safe.length
      await until('forty more are written', () => safe.length >= count + 40)
    }
    await more()
    await primary.crash()
    t.same((await notes(stores[0])).slice(0, before.length), before, 'what was read is shown meanwhile')
    await standby.promote()
    await more()
    isOver = true
    await Promise.all(writing)
    const late = await openPostgresData(address, 2, log)
    const found = await notes(late)
    t.same(
      safe.filter((one) => !found.includes(one)),
      [],
      `all ${safe.length} that were acknowledged are there`,
    )
    t.equal(new Set(found).size, found.length, 'nothing is there twice')
    t.ok(found.length <= before.length + safe.length + refused)
    for (const data of stores) t.same(await notes(data), found, 'everybody reads the same')
    await Promise.all([...stores, late].map((data) => data.close()))
    if (round + 1 === ROUNDS) break
    primary = standby
    standby = await primary.startStandby()
  }
})
