import { openJsonData, openSpools } from '@solstice/adapters'
import { createAudit, type DataStore, Failure } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { openAuditSpool } from './audit-spool.ts'

const log = pino({ level: 'silent' })
const ACTOR = { adminId: 'super', login: 'a' }

async function openIn(t: Test, folder: string) {
  const data = await openJsonData(folder)
  t.teardown(() => data.close())
  const shown: unknown[] = []
  const announcer = { tell: (...[, , entry]: unknown[]) => void shown.push(entry) } as never
  return { data, announcer, shown, log, spool: openSpools(folder).auditEntries }
}

/** A store whose audit log takes an entry, or not, and then says that it is away. */
function thatFails(data: DataStore, isWritten: boolean): Pick<DataStore, 'audit'> {
  const audit = Object.assign(Object.create(data.audit) as typeof data.audit, {
    async insert(...given: Parameters<typeof data.audit.insert>) {
      if (isWritten) await data.audit.insert(...given)
      throw new Failure('DATA_UNAVAILABLE')
    },
  })
  return { audit }
}

t.test('an entry whose write seemed to fail is written once, and two that are alike are two', async (t) => {
  const one = await openIn(t, await temporaryFolder(t))
  const late = openAuditSpool(one)
  const clock = { nowMs: () => 1_000, aheadMs: () => 0 }
  for (const isWritten of [true, false]) {
    const failing = thatFails(one.data, isWritten)
    const audit = createAudit({ ...one, data: failing, clock, isOn: true, later: late.add })
    for (let time = 0; time < 2; time++) await audit.record(ACTOR, `written ${isWritten}`, { title: 'Song' })
  }
  await late.close()
  const entries = (await one.data.audit.find()).map(({ operationType }) => operationType)
  t.same(
    entries,
    [true, true, false, false].map((isWritten) => `written ${isWritten}`),
  )
  t.same(await one.spool.all(), [])
  t.same(Object.keys(one.shown[0] as object).toSorted(), [
    'adminId',
    'adminLogin',
    'createdAt',
    'data',
    'id',
    'operationType',
  ])
})

t.test('an entry that a process left on a shared disk is written by one of the next', async (t) => {
  const folder = await temporaryFolder(t)
  const all = [await openIn(t, folder), await openIn(t, folder)]
  const entry = { adminId: 'super', adminLogin: 'a', operationType: 'left', createdAt: 1, data: {} }
  const [{ spool }] = all as [(typeof all)[number]]
  // The first is of an earlier version.
  await spool.keep({ id: '1', entry, receivedAt: 1 })
  await spool.keep({ id: '2', entry: { ...entry, onceKey: 'own' }, receivedAt: 2 })
  await Promise.all(all.map((one) => openAuditSpool(one).close()))
  t.equal((await all[0]!.data.audit.find()).length, 2)
})
