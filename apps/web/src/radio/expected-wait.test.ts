import t from 'tap'
import { air } from '../../../../tests/harness/air/radio-state.ts'
import { expectedWaitS } from './expected-wait.ts'

const entry = (orderType: 'donated' | 'lastinline' | null, tier: number | null = null) => ({
  id: 'day/b.mp3',
  title: 'B',
  artist: '',
  orderType,
  tier,
})

t.test('a track waits for the one on air, and for those ahead of it', async (t) => {
  const playlist = [entry('donated', 2), entry('donated', 1), entry('lastinline'), entry(null)]
  const state = air({ duration: 100, playlist })
  const tracksAhead = (way: Parameters<typeof expectedWaitS>[2]) =>
    (expectedWaitS(state, 40, way)! - 60) / 210
  t.equal(tracksAhead({ is: 'paid', tier: 3 }), 0)
  t.equal(tracksAhead({ is: 'paid', tier: 2 }), 1)
  t.equal(tracksAhead({ is: 'paid', tier: 1 }), 2)
  t.equal(tracksAhead({ is: 'requested' }), 3)
})

t.test('nobody can say how long a pause or a chat lasts', async (t) => {
  const way = { is: 'requested' } as const
  t.equal(expectedWaitS(air({ isPlaying: false }), 0, way), null)
  t.equal(expectedWaitS(air({ isPreparing: true }), 0, way), null)
  t.equal(expectedWaitS(air({ duration: 0 }), 0, way), null)
})
