import { collections } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { startPostgres } from '../../../tests/harness/postgres.ts'
import { dataStoreSuite, played, track } from '../../../tests/suites/data-store.ts'
import { openSqlData } from './data-sql.ts'

const log = pino({ level: 'silent' })
const server = await startPostgres(t)
const names = Object.keys(collections)

async function openIn(t: Test, url = server.url) {
  const data = await openSqlData(url, 4, log)
  t.teardown(() => data.close())
  return data
}

/** As if nothing had ever been there. */
async function empty() {
  await server.query(`truncate ${names.join(', ')}`)
  await server.query('update collections set version = 0, swept = 0, last_place = 0, last_serial = 0')
}

t.test('ten stores that are opened at once on an empty database make its tables once', async (t) => {
  const stores = await Promise.all(Array.from({ length: 10 }, () => openIn(t)))
  const added = await Promise.all(stores.map(({ audit }) => audit.insert({} as never)))
  t.same(
    added.map((record) => record?.id).sort((a = 0, b = 0) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  )
})

t.test('the SQL store keeps the promises of every data store', async (t) => {
  dataStoreSuite(t, async () => {
    await empty()
    return () => openSqlData(server.url, 3, log)
  })
})
