import { beginAlarm, createAudit, endAlarm, recordInLedger } from '@solstice/station'
import t from 'tap'
import { processorsOf } from '../../apps/jobs/src/processors/index.ts'
import { pendingDonation } from '../harness/donations/orders.ts'
import { startSmtp } from '../harness/servers/smtp.ts'
import { openApp } from '../harness/stations/app.ts'

const fault = { cause: 'silence', source: 'http://api-1:3001' } as const

t.test('alarms and paid songs without a place are told by e-mail, together, until it is taken', async (t) => {
  const smtp = await startSmtp(t)
  const { ports } = await openApp(t, {
    ...{ SMTP_URL: smtp.url, SMTP_FROM: 'Radio <radio@radio.example>' },
    ...{ ALARM_EMAILS: 'night@radio.example, day@radio.example', NIGHT_MODE: 'false' },
  })
  const { data } = ports
  const processors = processorsOf(ports)
  const alarmDeps = { ...ports, audit: createAudit({ ...ports, isOn: true }) }
  const sweep = () => processors['sweep-events']({}, null as never)
  await sweep()
  const sendMail = () => processors['send-mail']({}, null as never)
  await data.donations.put(pendingDonation('lost', { status: 'paid_unqueued' }))
  const refusal = { donationId: 'lost', event: 'refused', note: 'no_slot' } as const
  await recordInLedger(data, { ...refusal, onceKey: 'unqueued lost', atMs: Date.now() })
  await beginAlarm(alarmDeps, { ...fault, evidence: 'silent for 9 s' })
  await sweep()
  smtp.refuses = true
  await sendMail()
  t.match(await data.mailMarks.find(), [{ attempts: 1 }])
  await data.mailMarks.update({ id: 'station' }, { nextAt: 0 })
  smtp.refuses = false
  await sendMail()
  const [mail] = smtp.taken
  t.match(mail, {
    ...{ login: 'operator:pass word', from: 'radio@radio.example' },
    to: ['night@radio.example', 'day@radio.example'],
    headers: /message-id: <[\w-]+@radio\.example>/i,
  })
  for (const part of ['Alarm: silence on air', 'Тривога: тиша в ефірі', 'silent for 9 s', 'Queue it again'])
    t.match(mail!.text, part)
  await endAlarm(alarmDeps, fault)
  await sweep()
  await sendMail()
  t.equal(smtp.taken.length, 1, 'no second one within five minutes')
  await data.mailMarks.update({ id: 'station' }, { nextAt: 0 })
  await sendMail()
  t.match(smtp.taken[1]!.text, 'Over: silence on air')
  await sendMail()
  t.equal(smtp.taken.length, 2)
})
