import { createAudit, createSpooledMail, readAlarms, type SpooledAlarm } from '@solstice/station'
import t from 'tap'
import { type AlarmBook, openAlarmBook } from '../../apps/jobs/src/monitor/book.ts'
import { createRecentSound } from '../../apps/jobs/src/monitor/ear/recent-sound.ts'
import { createEvidenceKeeper } from '../../apps/jobs/src/monitor/evidence.ts'
import { openRegister } from '../../apps/jobs/src/monitor/register.ts'
import { processorsOf } from '../../apps/jobs/src/processors/index.ts'
import { startFaultyReplica } from '../harness/servers/faulty-replica.ts'
import { startPostgres } from '../harness/servers/postgres.ts'
import { startSmtp } from '../harness/servers/smtp.ts'
import { type OpenApp, openApp } from '../harness/stations/app.ts'
import { prepareStation } from '../harness/stations/station.ts'
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
    const book = await openAlarmBook({ ...ports, audit, spool: spools.alarms, mail: null }, RETRY_MS)
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

t.test('while PostgreSQL is away alarms are told by e-mail, once', async (t) => {
  const [server, smtp] = await Promise.all([startPostgres(t), startSmtp(t)])
  const { ports } = await openApp(t, {
    ...{ DATA_PROVIDER: 'sql', DATABASE_URL: server.url, DATABASE_POOL_MAX: '2' },
    ...{ SMTP_URL: smtp.url, SMTP_FROM: 'Radio <radio@radio.example>', ALARM_EMAILS: 'night@radio.example' },
  })
  const { data, mailer, config } = ports
  const { alarms } = ports.spools
  const processors = processorsOf(ports)
  const sweep = () => processors['sweep-events']({}, null as never)
  const sendMail = () => processors['send-mail']({}, null as never)
  await sweep()
  const open = (): Promise<AlarmBook> => {
    const mail = createSpooledMail({ ...ports, mailer: mailer!, station: config }, 0)
    const audit = createAudit({ ...ports, isOn: true })
    return openAlarmBook({ ...ports, audit, spool: alarms, mail }, RETRY_MS)
  }
  const silence = { cause: 'silence', source: 'http://user:secret@api-1:3001/path' } as const
  const title = { cause: 'title', source: SOURCE } as const
  const begin = (book: AlarmBook, fault: typeof silence | typeof title, evidence: string) =>
    book.begin({ ...fault, evidence }, () => () => {})
  const mailed = async () => (await alarms.all()).filter(({ isMailed }) => isMailed).length

  const first = await open()
  begin(first, title, 'stored before')
  await until('it is stored', async () => (await data.alarms.find()).length === 1)
  await until('it waits no more', async () => (await alarms.all()).length === 0)
  await server.crash()
  begin(first, silence, 'silent for 9 s')
  await until('the operator is told of it', () => smtp.taken.length === 1)
  t.match(smtp.taken[0]!.text, 'Alarm: silence on air. api-1:3001: silent for 9 s')
  t.notMatch(smtp.taken[0]!.text, /secret|\/path/)
  await until('it is marked', async () => (await mailed()) === 1)
  await first.close()

  // Another process finds it, and tells what is new.
  const second = await open()
  second.end(silence)
  second.end(title)
  await until('its end is told', () => smtp.taken.length === 2)
  t.match(smtp.taken[1]!.text, 'Over: silence on air')
  t.notMatch(smtp.taken[1]!.text, /Alarm:|title/, 'and nothing twice; the end of one that was stored waits')
  await until('it is marked', async () => (await mailed()) === 2)
  await server.restart()
  await until('all is stored', async () => (await alarms.all()).length === 0)
  t.match(await data.alarms.find({ cause: 'silence' }), [{ mailed: ['alarm.began', 'alarm.ended'] }])
  const { alarms: shown } = await readAlarms(data, { offset: 0, limit: 10 })
  t.notOk(
    shown.some((alarm) => 'mailed' in alarm),
    'admins are not told of that',
  )
  await sweep()
  await sendMail()
  t.equal(smtp.taken.length, 3)
  t.match(smtp.taken[2]!.text, 'Alarm: wrong title')
  t.match(smtp.taken[2]!.text, 'Over: wrong title')
  t.notMatch(smtp.taken[2]!.text, /silence/, 'what was told is not told again')
  await data.mailMarks.update({ id: 'station' }, { nextAt: 0 })
  await sendMail()
  t.equal(smtp.taken.length, 3)
  await second.close()
})

t.test('the sound of an alarm outlives its process, and is stored with the alarm', async (t) => {
  const server = await startPostgres(t)
  const settings = { DATA_PROVIDER: 'sql', DATABASE_URL: server.url, DATABASE_POOL_MAX: '2' }
  const one = await openApp(t, settings)
  const two = await openApp(t, settings, one.ports.log, one)
  const { data, media } = two.ports
  const { spools } = one.ports
  const open = async ({ ports }: OpenApp) => {
    const audit = createAudit({ ...ports, isOn: true })
    const book = await openAlarmBook({ ...ports, audit, spool: spools.alarms, mail: null }, RETRY_MS)
    return { book, evidence: createEvidenceKeeper({ ...ports, spools }) }
  }
  const sound = createRecentSound(10_000)
  sound.add(Buffer.alloc(400_000, 1))
  const begin = async ({ book, evidence }: Awaited<ReturnType<typeof open>>, cause: 'silence' | 'title') => {
    const fault = { cause, source: SOURCE } as const
    book.begin({ ...fault, evidence: 'heard' }, (beganAt) => evidence.record(fault, beganAt, sound))
  }
  const sounds = async () => (await spools.alarmSounds.all()).map(({ cause }) => cause)

  const first = await open(one)
  await server.crash()
  await begin(first, 'silence')
  await until('its sound is on disk', async () => (await sounds()).length === 1)
  // As if it were killed: what it has in memory is never stored.
  await first.book.close()
  const second = await open(two)
  await begin(second, 'title')
  await second.evidence.close()
  t.same((await sounds()).toSorted(), ['silence', 'title'], 'one that ends in time keeps what it has heard')
  await second.evidence.fileLeft()
  t.equal((await sounds()).length, 2, 'nothing is lost while the alarms wait')
  await server.restart()
  await until('the alarms are stored', async () => (await spools.alarms.all()).length === 0)
  await until('one is in hand, and stored', async () => (await sounds()).length === 1)
  await second.evidence.fileLeft()
  t.same(await sounds(), [])
  const alarms = await data.alarms.find()
  t.match(alarms, [
    { cause: 'silence', hasEvidence: true },
    { cause: 'title', hasEvidence: true },
  ])
  t.same((await media.list('alarms')).toSorted(), alarms.map(({ id }) => `alarms/${id}.mp3`).toSorted())

  const put = () => Promise.reject(new Error('the bucket is away'))
  const third = createEvidenceKeeper({ ...two.ports, spools, media: { ...media, put } })
  const { id, cause, source, beganAt } = alarms[0]!
  await data.alarms.update({ id }, { hasEvidence: false })
  third.record({ cause, source }, beganAt, sound)(id)
  await third.close()
  t.same(await sounds(), ['silence'], 'nor while there is no place for its sound')
  await second.evidence.fileLeft()
  t.match(await data.alarms.get(id), { hasEvidence: true })

  const left = { cause: 'silence', source: SOURCE, mp3: '' } as const
  const nowMs = alarms[0]!.beganAt
  await spools.alarmSounds.keep({ ...left, id: 'young', receivedAt: nowMs - 1 })
  await spools.alarmSounds.keep({ ...left, id: 'old', receivedAt: nowMs - 25 * 3_600_000 })
  await second.evidence.fileLeft()
  t.match(
    await spools.alarmSounds.all(),
    [{ id: 'young' }],
    'the sound of an alarm that is nowhere goes after a day',
  )
  await second.book.close()
})

t.test('what was heard before an alarm is on disk before the rest of its sound is heard', async (t) => {
  const { ports } = await openApp(t)
  const { spools, data } = ports
  const kept: number[] = []
  const alarmSounds: typeof spools.alarmSounds = {
    ...spools.alarmSounds,
    keep(one) {
      kept.push(one.mp3.length)
      return spools.alarmSounds.keep(one)
    },
  }
  const evidence = createEvidenceKeeper({ ...ports, spools: { ...spools, alarmSounds } })
  const sound = createRecentSound(10_000)
  sound.add(Buffer.alloc(400_000, 1))
  const fault = { cause: 'silence', source: SOURCE } as const
  const beganAt = Date.now()
  const onStored = evidence.record(fault, beganAt, sound)
  sound.add(Buffer.alloc(800_000, 1))
  await until('some is on disk', async () => (await spools.alarmSounds.all()).length === 1)
  await evidence.close()
  t.equal(kept.length, 2)
  t.ok(kept[1]! > 2 * kept[0]!, 'then all that was heard')

  // Another process files it, as after the death of this one.
  const alarm = { ...fault, beganAt, evidence: '', endedAt: null, openKey: 'open' }
  const { id } = (await data.alarms.insert(alarm))!
  await createEvidenceKeeper(ports).fileLeft()
  t.match(await data.alarms.get(id), { hasEvidence: true })
  onStored(null)
  await evidence.close()
  t.same(await spools.alarmSounds.all(), [])
})

t.test(
  'a monitor and jobs that start while PostgreSQL is away listen, tell, and store it later',
  async (t) => {
    const [server, smtp] = await Promise.all([startPostgres(t), startSmtp(t)])
    const song = { name: 'Long', hz: 440, rise: 7, seconds: 300, isMono: true }
    const station = await prepareStation(t, [song], {
      ...{ DATA_PROVIDER: 'sql', DATABASE_URL: server.url, DATABASE_POOL_MAX: '2' },
      ...{
        SMTP_URL: smtp.url,
        SMTP_FROM: 'Radio <radio@radio.example>',
        ALARM_EMAILS: 'night@radio.example',
      },
    })
    const [api] = await Promise.all([station.startApi(), station.startWorker()])
    const faulty = await startFaultyReplica(t, api.url)
    station.env.MONITOR_URLS = faulty.url
    await server.crash()
    const monitor = await station.startMonitor()
    await monitor.printed(/monitor listening/)
    const jobs = await station.startJobs()
    faulty.set('title')
    await until('the operator is told of it', () => smtp.taken.length === 1)
    t.match(smtp.taken[0]!.text, 'Alarm: wrong title')
    await server.restart()
    const data = await station.openData()
    t.teardown(() => data.close())
    await until('it is stored', async () => (await data.alarms.find()).length === 1)
    t.match(await data.alarms.find(), [{ cause: 'title', endedAt: null, mailed: ['alarm.began'] }])
    await until('jobs tell of it', async () => (await data.events.find({ type: 'alarm.began' })).length === 1)
    await Promise.all([monitor.end('SIGTERM'), jobs.end('SIGTERM')])
    t.same([monitor.child.exitCode, jobs.child.exitCode], [0, 0])
  },
)
