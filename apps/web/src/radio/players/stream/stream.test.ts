import type { PublicConfig } from '@solstice/contracts'
import t from 'tap'
import { NOON } from '../../../../../../tests/harness/air/radio-state.ts'
import { createStore } from '../../../ui/store.ts'
import { createBreakCount } from './breaks.ts'
import { createStreamChoice, playableStreams, type Quality } from './quality.ts'

const mp3 = { path: '/api/stream/public.mp3', format: 'audio/mpeg', bitrate: 192 } as const
const aac = { path: '/api/stream/public-64.aac', format: 'audio/aac', bitrate: 64 } as const
const small = { path: '/api/stream/public-48.mp3', format: 'audio/mpeg', bitrate: 48 } as const
const best = { path: '/api/stream/public-320.mp3', format: 'audio/mpeg', bitrate: 320 } as const
const opus = { path: '/api/stream/public-32.opus', format: 'audio/ogg', bitrate: 32 } as const

/** A station with these streams, and a browser that may play AAC. */
function open(streams: PublicConfig['streams'], { playsAac = true, effectiveType = '4g' } = {}) {
  const audio = { canPlayType: () => (playsAac ? 'maybe' : '') }
  Object.defineProperty(globalThis, 'document', { value: { createElement: () => audio }, configurable: true })
  Object.defineProperty(globalThis, 'navigator', {
    value: { connection: { effectiveType } },
    configurable: true,
  })
  const config = createStore<PublicConfig | null>({ streams } as PublicConfig)
  const quality = createStore<Quality>('auto')
  return { config, quality, choice: createStreamChoice(config, quality) }
}

t.test('high and low are the ends of what the browser plays, automatic is the usual stream', async (t) => {
  const all = [mp3, aac, best, small, opus]
  const { config, choice, quality } = open(all)
  t.same(playableStreams(config.value), [mp3, aac, best, small])
  t.equal(choice.now(), mp3)
  quality.set('high')
  t.equal(choice.now(), best)
  quality.set('low')
  t.equal(choice.now(), small)
  config.set({ streams: [mp3, aac] } as unknown as PublicConfig)
  t.equal(choice.now(), aac)
  t.same(playableStreams(open([mp3, aac], { playsAac: false }).config.value), [mp3])
})

t.test('automatic is low on a narrow network, and after stalls', async (t) => {
  t.equal(open([mp3, aac], { effectiveType: 'slow-2g' }).choice.now(), aac)
  const { choice, quality } = open([mp3, aac])
  choice.lower()
  t.equal(choice.now(), aac)
  choice.reset()
  t.equal(choice.now(), mp3)
  choice.lower()
  quality.set('high')
  t.equal(choice.now(), mp3)
})

t.test('a station that tells no streams has the usual one', async (t) => {
  const { choice, config, quality } = open([])
  for (const streams of [[], undefined]) {
    config.set({ streams } as unknown as PublicConfig)
    quality.set('low')
    t.equal(choice.now().path, mp3.path)
  }
})

t.test('breaks are counted for a minute; a break and its retries are one', async (t) => {
  const breaks = createBreakCount()
  t.same(
    [0, 4_999, 5_000, 20_000, 60_000, 64_999].map((ms) => breaks.add(NOON + ms)),
    [1, 1, 2, 3, 3, 3],
  )
  breaks.reset()
  t.equal(breaks.add(NOON + 65_000), 1)
})
