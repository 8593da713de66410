import t from 'tap'
import { bestSample, offsetMs, withSample } from './station-clock.ts'

t.test('the station’s clock is read from the exchange with the smallest round trip', async (t) => {
  const slow = { sentMs: 1000, serverMs: 51_900, receivedMs: 2000 }
  const quick = { sentMs: 3000, serverMs: 53_020, receivedMs: 3040 }
  const samples = withSample(withSample([], slow), quick)
  t.equal(bestSample(samples), quick)
  t.equal(offsetMs(quick), 50_000)
  t.equal(bestSample([]), null)
  const late = { sentMs: 200_000, serverMs: 250_500, receivedMs: 201_000 }
  t.same(withSample(samples, late), [late], 'old samples are forgotten, however good')
})
