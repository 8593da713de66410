import t from 'tap'
import { type Facts, findAlerts } from './find-alerts.ts'

const NOW = 1_790_000_000_000
const calm: Facts = {
  silentMs: 2_000,
  isUnread: false,
  openAlarms: 0,
  unqueued: 0,
  suggestions: [],
  answerMs: 300_000,
  nowMs: NOW,
  programme: [{ mode: 'day', total: 7_200, canMake: true }],
  failingWebhooks: 0,
  failedJobs: 0,
}
const request = (uid: string, ageMs: number) => ({
  uid,
  song: { id: `day/${uid}.mp3`, title: uid, artist: 'x' },
  addedAt: NOW - ageMs,
})

t.test('all is well, or the most urgent comes first', (t) => {
  t.same(findAlerts(calm), [])
  const all = findAlerts({
    ...calm,
    silentMs: 12_400,
    isUnread: true,
    openAlarms: 2,
    unqueued: 1,
    suggestions: [request('a', 290_000)],
    programme: [
      { mode: 'day', total: 0, canMake: true },
      { mode: 'night', total: 3_600, canMake: false },
    ],
    failingWebhooks: 1,
    failedJobs: 3,
  })
  t.same(all, [
    { is: 'silent', seconds: 12 },
    { is: 'unread' },
    { is: 'alarms', count: 2 },
    { is: 'expiring', count: 1 },
    { is: 'unqueued', count: 1 },
    { is: 'empty', mode: 'day' },
    { is: 'algorithm', mode: 'night' },
    { is: 'webhooks', count: 1 },
    { is: 'failedJobs', count: 3 },
  ])
  t.end()
})

t.test('requests are about to expire in the last minute, or the last third of a short wait', (t) => {
  const expiring = (answerMs: number, ...ages: number[]) =>
    findAlerts({ ...calm, answerMs, suggestions: ages.map((age, i) => request(String(i), age)) })
  t.same(expiring(300_000, 10_000, 239_000), [])
  t.same(expiring(300_000, 10_000, 240_000, 299_000), [{ is: 'expiring', count: 2 }])
  t.same(expiring(60_000, 39_000), [])
  t.same(expiring(60_000, 40_000), [{ is: 'expiring', count: 1 }])
  t.same(expiring(0, 900_000), [], 'requests that never expire')
  t.end()
})
