import t from 'tap'
import { openAudience } from './audience.ts'

/** A channel that one replica stands at. */
function channelOfOne() {
  const said: Record<string, unknown>[] = []
  let hear: (message: string) => void = () => {}
  let catchUp = () => {}
  return {
    said,
    hear: (message: object) => hear(JSON.stringify(message)),
    catchUp: () => catchUp(),
    channel: {
      publish: (message: string) => void said.push(JSON.parse(message)),
      subscribe(handlers: { onMessage: (message: string) => void; onCaughtUp: () => void }) {
        hear = handlers.onMessage
        catchUp = handlers.onCaughtUp
        return () => {}
      },
    },
  }
}
const clock = { nowMs: () => 1_000, aheadMs: () => 100 }

t.test('a replica that joins takes over the peak, and since when it counts', async (t) => {
  const line = channelOfOne()
  const audience = openAudience({ channel: line.channel, own: () => 2, clock: clock as never })
  t.teardown(() => audience.close())
  t.same([audience.size, audience.peak, audience.sinceMs], [2, 2, 900])
  line.hear({ from: 'b', listeners: 3, peak: 50, sinceMs: 400 })
  t.same([audience.size, audience.peak, audience.sinceMs], [5, 50, 400])
  line.catchUp()
  t.match(line.said, [{ listeners: 2, peak: 50, sinceMs: 400 }])
})

t.test('the peak is that of all replicas together, and stays', async (t) => {
  const line = channelOfOne()
  let own = 4
  const audience = openAudience({ channel: line.channel, own: () => own, clock: clock as never })
  t.teardown(() => audience.close())
  // As a replica of an earlier version tells it.
  line.hear({ from: 'b', listeners: 3 })
  t.equal(audience.peak, 7)
  own = 1
  line.hear({ from: 'b', listeners: 0, peak: -1, sinceMs: 'never' })
  t.same([audience.size, audience.peak, audience.sinceMs], [1, 7, 900])
})
