import t from 'tap'
import { mailOf } from './mail-text.ts'

const STATION = { timeZone: 'Europe/Kyiv', publicServerUrl: 'https://radio.example' }
const atMs = Date.UTC(2026, 10, 23, 12, 5, 9)
const began = {
  ...({ eventId: 'msg_a', type: 'alarm.began', atMs } as const),
  data: {
    alarmId: 1,
    cause: 'silence',
    source: 'radio.example',
    evidence: 'silent for 8.1 s',
    beganAt: atMs,
  },
} as const
const ended = {
  ...({ eventId: 'msg_b', type: 'alarm.ended', atMs: atMs + 21_000 } as const),
  data: { ...began.data, endedAt: atMs + 21_000 },
} as const

t.test(
  'an e-mail says what began before what is over, in both languages and the time of the station',
  async (t) => {
    const { subject, text } = mailOf([ended, began], STATION)
    t.equal(subject, 'Тривога: тиша в ефірі · Alarm: silence on air (+1)')
    t.match(text, /14:05:09 {2}Alarm: silence on air\. radio\.example: silent for 8\.1 s/)
    t.match(text, /14:05:30 {2}Минулося: тиша в ефірі\. radio\.example, тривало 21 с/)
    t.match(text, /\n\nhttps:\/\/radio\.example\/adpanel\n$/)
  },
)

t.test('the same events are the same e-mail', async (t) => {
  const keys = [[began], [began], [began, ended]].map((events) => mailOf(events, STATION).key)
  t.equal(keys[0], keys[1])
  t.not(keys[0], keys[2])
})
