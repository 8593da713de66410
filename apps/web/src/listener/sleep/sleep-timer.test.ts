import t from 'tap'
import { createSleepTimer, fadeAt, leftOf } from './sleep-timer.ts'

t.test('the sound fades over the last 20 seconds', async (t) => {
  t.equal(fadeAt(60_000), 1)
  t.equal(fadeAt(20_000), 1)
  t.equal(fadeAt(10_000), 0.25)
  t.equal(fadeAt(0), 0)
})

t.test('a timer ends at its moment, or with the track that was heard', async (t) => {
  const at = (nowMs: number, track: { startedAtMs: number; leftMs: number } | null = null) => ({
    nowMs: () => nowMs,
    track: () => track,
  })
  t.equal(leftOf({ is: 'at', atMs: 5000 }, at(2000)), 3000)
  t.equal(leftOf({ is: 'at', atMs: 5000 }, at(90_000)), 0, 'a tab that slept longer')
  const withTrack = { is: 'with-track', startedAtMs: 100_000 } as const
  t.equal(leftOf(withTrack, at(0, { startedAtMs: 100_300, leftMs: 7000 })), 7000, 'a better estimate')
  t.equal(leftOf(withTrack, at(0, { startedAtMs: 200_000, leftMs: 7000 })), 0, 'another track')
  t.equal(leftOf(withTrack, at(0)), 0, 'hosts talk')
})

t.test('at its end the sound is paused and the loudness restored; cancelling restores it too', async (t) => {
  let nowMs = 0
  const said: (number | string)[] = []
  const paused = new Promise<void>((resolve) => {
    const timer = createSleepTimer({
      nowMs: () => nowMs,
      track: () => null,
      fade: (factor) => said.push(factor),
      pause: () => {
        said.push('pause')
        resolve()
      },
    })
    timer.set({ is: 'at', atMs: 10_000 })
    t.equal(timer.leftMs(), 10_000)
    timer.set(null)
    t.same(said.splice(0), [1, 1])
    timer.set({ is: 'at', atMs: 10_000 })
    nowMs = 3_600_000
  })
  await paused
  t.same(said, [1, 0, 'pause', 1])
})
