import { createAudit, type SpooledAlarm } from '@solstice/station'
import t from 'tap'
import { openAlarmBook } from '../../apps/jobs/src/monitor/book.ts'
import { openRegister } from '../../apps/jobs/src/monitor/register.ts'
import { startPostgres } from '../harness/servers/postgres.ts'
import { type OpenApp, openApp } from '../harness/stations/app.ts'
import { until } from '../harness/until.ts'

const RETRY_MS = 100
/** After this an alarm ends. */
const OVER_MS = 6_000
const SOURCE = 'http://api-1:3001'

t.test('alarms that begin and end while PostgreSQL is away are stored later, whoever ends', async (t) => {
  const server = await startPostgres(t)
  const settings = { DATA_PROVIDER: 'sql', DATABASE_URL: server.url, DATABASE_POOL_MAX: '2' }
  const one = await openApp(t, settings)
  const two = await openApp(t, settings, one.ports.log, one)
  const { data } = two.ports
  const { spools } = one.ports
  const stored: (number | null)[] = []
  const open = async ({ ports }: OpenApp) => {
    const audit = createAudit({ ...ports, isOn: true })
    const book = await openAlarmBook({ ...ports, audit, spool: spools.alarms }, RETRY_MS)
    const register = await openRegister(
      { ...ports, book },
      {
        sources: new Set([SOURCE]),
        onBegan: () => (alarmId) => void stored.push(alarmId),
        retry: (again) => void setTimeout(again, RETRY_MS),
      },
    )
    return { book, register }
  }
  const waiting = async (count: number) => {
    let all: SpooledAlarm[] = []
    await until(`${count} wait on disk`, async () => {
      all = await spools.alarms.all()
      return all.length === count
    })
    return all
  }
  const found = new Map([['silence', 'silent for 9 s'] as const])

  const first = await open(one)
  first.register.note(SOURCE, new Map([['title', 'another']]), 0)
  await until('it is stored', async () => stored.length === 1)
  await waiting(0)
  await server.crash()
  first.register.note(SOURCE, found, 1_000)
  t.same(
    first.register.open.map(({ cause }) => cause).toSorted(),
    ['silence', 'title'],
    'the metric tells both',
  )
  first.register.note(SOURCE, new Map(), 2_000)
  first.register.note(SOURCE, new Map(), 2_000 + OVER_MS)
  const spooled = await waiting(3)
  t.match(spooled, [{ cause: 'silence', evidence: 'silent for 9 s' }, { evidence: null }, { evidence: null }])
  t.same(first.register.open, [])
  // That process ends, and another one takes over.
  await first.book.close()
  const second = await open(two)
  second.register.note(SOURCE, found, 20_000)
  await waiting(4)
  await server.restart()
  await waiting(0)
  const alarms = await data.alarms.find()
  t.match(alarms, [
    { cause: 'title', evidence: 'another' },
    { cause: 'silence', beganAt: spooled[0]!.receivedAt },
    { cause: 'silence', endedAt: null },
  ])
  t.equal(alarms.length, 3)
  t.ok(alarms[1]!.endedAt! >= alarms[1]!.beganAt)
  const operations = async () =>
    (await data.audit.find()).map(
      ({ operationType, data }) => `${operationType} ${(data as { cause?: string }).cause}`,
    )
  const once = ['alarm_begin title', 'alarm_begin silence', 'alarm_end title', 'alarm_end silence']
  t.same((await operations()).toSorted(), [...once, 'alarm_begin silence'].toSorted(), 'each is told once')
  await second.book.close()
})
