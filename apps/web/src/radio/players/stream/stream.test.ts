import type { PublicConfig } from '@solstice/contracts'
import t from 'tap'
import { NOON } from '../../../../../../tests/harness/air/radio-state.ts'
import { createStore } from '../../../ui/store.ts'
import { createBreakCount } from './breaks.ts'
import { createStreamChoice, playableStreams, type Quality } from './quality.ts'
import { createTransportChoice } from './transport-choice.ts'

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

t.test('three refusals in a row are enough to ask for the other transport', async (t) => {
  const choice = createTransportChoice('endless')
  t.same([choice.now, choice.other], ['endless', 'segments'])
  t.same(
    [0, 1, 2, 3].map((ms) => choice.refused(NOON + ms)),
    [false, false, true, true],
    'it goes on asking until it is answered',
  )
  choice.change(NOON)
  t.same([choice.now, choice.other], ['segments', 'endless'])
})

t.test('a stream that gave sound for half a minute was not refused', async (t) => {
  const choice = createTransportChoice('endless')
  const play = (seconds: number) => {
    choice.sounded(NOON)
    choice.sounded(NOON + 1000 * (seconds - 1))
    return choice.refused(NOON + 1000 * seconds)
  }
  t.same([30, 30, 30, 30].map(play), [false, false, false, false], 'replicas come and go')
  t.same([29, 29].map(play), [false, true], 'the last of the others counts')
})

t.test('what was refused is not played again before a press after ten minutes', async (t) => {
  const choice = createTransportChoice('endless')
  for (let i = 0; i < 3; i++) choice.refused(NOON)
  choice.change(NOON)
  choice.sounded(NOON + 1000)
  t.notOk(choice.started(NOON + 599_999))
  t.equal(choice.now, 'segments')
  t.ok(choice.started(NOON + 600_000))
  t.equal(choice.now, 'endless')
  t.ok(choice.refused(NOON + 601_000), 'then once more is enough')
  t.notOk(choice.started(NOON + 602_000), 'the usual one needs no other chance')
})

t.test('where both are refused they take turns ever more slowly', async (t) => {
  const choice = createTransportChoice('segments')
  const turns = [1, 2, 3, 4, 5].map(() => {
    let refusals = 1
    while (!choice.refused(NOON)) refusals++
    choice.change(NOON)
    return refusals
  })
  t.same(turns, [3, 6, 12, 24, 24])
  choice.sounded(NOON)
  const again = [31_000, 32_000, 33_000].map((ms) => choice.refused(NOON + ms))
  t.same(again, [false, false, true], 'until one of them sounds')
})
