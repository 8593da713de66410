import t from 'tap'
import { createEventRateLimit, type Verdict } from './event-rate.ts'

/** Sends events at the same moment and returns the verdict on each. */
function send(
  measure: ReturnType<typeof createEventRateLimit>,
  count: number,
  event = 'stream_ping',
  payload: unknown = 1,
) {
  const verdicts = Array.from({ length: count }, () => measure(event, payload))
  const howMany = (verdict: Verdict) => verdicts.filter((one) => one === verdict).length
  return { pass: howMany('pass'), tooMuch: howMany('too-much'), flood: howMany('flood') }
}

const admin = { adminId: 'a', login: 'a', role: 'admin', privileges: [], authorized: true } as const

t.test(
  '50 events at once and 20 a second, for an admin 100 and 50; refused events cost nothing',
  async (t) => {
    for (const [who, burst, perS] of [
      [{ admin: null, liveRole: null }, 50, 20],
      [{ admin: null, liveRole: 'guest' as const }, 50, 20],
      [{ admin, liveRole: null }, 100, 50],
    ] as const) {
      let nowMs = 0
      const measure = createEventRateLimit(who, () => nowMs)
      t.same(send(measure, 900), { pass: burst, tooMuch: 900 - burst, flood: 0 })
      for (let second = 1; second <= 3; second++) {
        nowMs = second * 1_000
        t.equal(send(measure, 100).pass, perS, 'a second later as many as a second gives')
      }
      nowMs += 3_600_000
      t.equal(send(measure, 900).pass, burst, 'a rest gives no more than the burst')
    }
  },
)

t.test('a flood closes the socket: 1000 refused at once, or a long excess of 20 a second', async (t) => {
  let nowMs = 0
  const measure = createEventRateLimit({ admin: null, liveRole: null }, () => nowMs)
  t.same(send(measure, 1_051), { pass: 50, tooMuch: 1_000, flood: 1 })
  const patient = createEventRateLimit({ admin: null, liveRole: null }, () => nowMs)
  let floods = 0
  for (let second = 0; second < 600; second++, nowMs += 1_000) floods += send(patient, 39).flood
  t.equal(floods, 0, 'who sends twice as much is only cut')
})

t.test('recording pieces have their own limit while the socket is on the air', async (t) => {
  let nowMs = 0
  const host = { admin, liveRole: 'host' as const }
  const pieces = (who: Parameters<typeof createEventRateLimit>[0], count: number, bytes: number) => {
    const measure = createEventRateLimit(who, () => nowMs)
    const first = send(measure, count, 'host_audio_chunk', Buffer.alloc(bytes)).pass
    nowMs += 1_000
    return [first, send(measure, count, 'host_audio_chunk', Buffer.alloc(bytes)).pass]
  }
  t.same(pieces(host, 400, 1_000), [200, 30])
  t.same(pieces(host, 400, 64 * 1024), [32, 2], '2 MiB and 128 KiB a second')
  t.same(pieces({ admin: null, liveRole: 'guest' }, 400, 1_000), [200, 30])
  t.same(pieces({ admin: null, liveRole: null }, 400, 1_000), [50, 20], 'like any event of a listener')
  const measure = createEventRateLimit(host, () => nowMs)
  t.equal(send(measure, 400, 'host_audio_chunk', 'no bytes').pass, 100, 'and so what is no piece')
  t.equal(send(measure, 400, 'host_audio_chunk', Buffer.alloc(10)).pass, 200, 'events take nothing from it')
})
