import { pino } from 'pino'
import t from 'tap'
import { startPostgres } from '../../../tests/harness/postgres.ts'
import { dataStoreSuite } from '../../../tests/suites/data-store.ts'
import { openSqlData } from './data-sql.ts'

const log = pino({ level: 'silent' })
let databases = 0
const server = await startPostgres(t)

t.test('the SQL store keeps the promises of every data store', async (t) => {
  dataStoreSuite(t, async () => {
    const url = await server.createDatabase(`suite${++databases}`)
    return () => openSqlData(url, 3, log)
  })
})
