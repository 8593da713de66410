import { Failure } from '@solstice/station'
import t from 'tap'
import { until } from '../../../../tests/harness/until.ts'
import { createRequestPace } from './request-pace.ts'

/** Requests that were refused, of so many. */
function asked(pace: ReturnType<typeof createRequestPace>, address: string, times: number): Failure[] {
  const refused: Failure[] = []
  for (let i = 0; i < times; i++) {
    try {
      pace.take(address)
    } catch (error) {
      refused.push(error as Failure)
    }
  }
  return refused
}

t.test('a network may ask so often in a window, whichever of its addresses asks', (t) => {
  const pace = createRequestPace({ turns: 3, windowS: 60 })
  t.same(asked(pace, '2001:db8:1:2::1', 2), [])
  t.equal(asked(pace, '2001:db8:1:2:ffff::1', 2).length, 1)
  t.same(asked(pace, '2001:db8:1:3::1', 3), [], 'another network')
  t.same(asked(pace, '203.0.113.7', 3), [])
  t.same(asked(pace, '203.0.113.8', 3), [], 'of IPv4 the whole address counts')
  const [refusal] = asked(pace, '203.0.113.7', 1)
  t.ok(refusal instanceof Failure)
  t.match(refusal, { code: 'RATE_LIMITED', details: { retryAfterSecs: 60 } })
  t.end()
})

t.test('this machine is not limited', (t) => {
  const pace = createRequestPace({ turns: 1, windowS: 60 })
  for (const address of ['127.0.0.1', '::1']) t.same(asked(pace, address, 5), [])
  t.end()
})

t.test('who was refused may ask again in the next window', async (t) => {
  const pace = createRequestPace({ turns: 1, windowS: 0.05 })
  await until('a window that takes both', () => asked(pace, '203.0.113.7', 2).length === 1)
  await until('the next one', () => asked(pace, '203.0.113.7', 1).length === 0)
  t.pass()
})

t.test('a crowd of networks takes no more memory than a window may, and refuses nobody', (t) => {
  const pace = createRequestPace({ turns: 1, windowS: 3_600 })
  pace.take('203.0.113.7')
  t.equal(asked(pace, '203.0.113.7', 1).length, 1)
  for (let i = 1; i < 100_000; i++) pace.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
  t.same(asked(pace, '203.0.113.7', 1), [], 'what was counted is forgotten')
  t.equal(asked(pace, '203.0.113.7', 1).length, 1, 'and counted again')
  t.end()
})
