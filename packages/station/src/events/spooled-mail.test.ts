import { pino } from 'pino'
import t from 'tap'
import type { SpooledAlarm } from '../ports/data/data-store.ts'
import type { Mail } from '../ports/mail.ts'
import { createSpooledMail } from './spooled-mail.ts'

const MINUTE = 60_000
const source = 'http://api-1:3001'

function openMail() {
  const time = { nowMs: 1_000_000 }
  const server = { isAway: false, taken: [] as Mail[] }
  const mailer = {
    async send(mail: Mail) {
      if (server.isAway) throw new Error('away')
      server.taken.push(mail)
    },
  }
  const clock = { nowMs: () => time.nowMs, aheadMs: () => 0 }
  const station = { timeZone: 'Europe/Kyiv', publicServerUrl: '' }
  const mail = createSpooledMail({ mailer, clock, log: pino({ level: 'silent' }), station })
  return { time, server, mail }
}

const began = (id: string): SpooledAlarm => {
  return { id, cause: 'silence', source, evidence: `evidence ${id}`, receivedAt: 1_000_000 }
}
const ended = (id: string): SpooledAlarm => ({ ...began(id), evidence: null, receivedAt: 1_009_000 })

t.test('what is new within five minutes comes in one e-mail, and nothing twice', async (t) => {
  const { time, server, mail } = openMail()
  const [first, second, end] = [began('1'), began('2'), ended('3')]
  t.same(await mail.tell([first]), [first])
  first.isMailed = true
  time.nowMs += 5 * MINUTE - 1
  t.same(await mail.tell([first, second, end]), [])
  time.nowMs += 1
  t.same(await mail.tell([first, second, end]), [second, end])
  t.equal(server.taken.length, 2)
  t.notMatch(server.taken[1]!.text, 'evidence 1')
  t.match(server.taken[1]!.text, 'it lasted 9 s')
})

t.test('an e-mail that is not taken is tried again, and tells of no alarm before', async (t) => {
  const { time, server, mail } = openMail()
  server.isAway = true
  t.same(await mail.tell([began('1')]), [])
  server.isAway = false
  t.same(await mail.tell([began('1')]), [], 'not at once')
  time.nowMs += 10_000
  t.equal((await mail.tell([began('1')])).length, 1)
})

t.test('the end of an alarm that the store knows waits for it', async (t) => {
  const { server, mail } = openMail()
  t.same(await mail.tell([ended('1')]), [])
  t.same(await mail.tell([began('1'), ended('2'), ended('3')]).then((told) => told.length), 2)
  t.equal(server.taken.length, 1)
})
