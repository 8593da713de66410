import type { PublicConfig } from '@solstice/contracts'
import t, { type Test } from 'tap'
import { NOON } from '../../../../../../../tests/harness/air/radio-state.ts'
import { createSegmentLag } from './lag.ts'
import { createSegmentRequest } from './request.ts'
import { playlistOf, playsNatively, prefersSegments, segmentedStreams } from './source.ts'
import { titleIn } from './title.ts'

const mp3 = { path: '/api/stream/public.mp3', format: 'audio/mpeg', bitrate: 192 } as const
const aac = { path: '/api/stream/public-64.aac', format: 'audio/aac', bitrate: 64 } as const
const opus = { path: '/api/stream/public-32.opus', format: 'audio/ogg', bitrate: 32 } as const
const config = { streams: [mp3, aac, opus] } as unknown as PublicConfig

/** A browser, and an element in it. */
function browser(
  t: Test,
  {
    agent = '',
    isWebKit = false,
    playsHls = false,
    mse = null,
  }: { agent?: string; isWebKit?: boolean; playsHls?: boolean; mse?: string[] | null },
): HTMLAudioElement {
  const globals = {
    navigator: { userAgent: agent, maxTouchPoints: 0 },
    MediaSource: mse ? { isTypeSupported: (type: string) => mse.includes(type) } : undefined,
    document: { createElement: () => audio },
  }
  const audio = {
    canPlayType: (type: string) => (type.includes('mpegurl') && !playsHls && !isWebKit ? '' : 'maybe'),
    ...(isWebKit && { getStartDate: () => new Date(NOON) }),
  }
  for (const [name, value] of Object.entries(globals)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name)
    Object.defineProperty(globalThis, name, { value, configurable: true })
    t.teardown(() =>
      before ? Object.defineProperty(globalThis, name, before) : Reflect.deleteProperty(globalThis, name),
    )
  }
  return audio as unknown as HTMLAudioElement
}

t.test('iPhones prefer segments, which their own player plays', async (t) => {
  const iPhone = browser(t, { agent: 'iPhone', isWebKit: true })
  t.ok(playsNatively(iPhone) && prefersSegments(iPhone))
  t.same(segmentedStreams(config, iPhone), [mp3, aac])
})

t.test('Safari on a Mac has its own player, and the endless stream first', async (t) => {
  const safari = browser(t, { agent: 'Macintosh', isWebKit: true })
  t.ok(playsNatively(safari))
  t.notOk(prefersSegments(safari))
})

t.test('elsewhere hls.js plays what Media Source Extensions take, not the browser itself', async (t) => {
  const chromium = browser(t, { playsHls: true, mse: ['audio/mpeg', 'audio/mp4; codecs="mp4a.40.2"'] })
  t.notOk(playsNatively(chromium), 'it plays no MP3, and does not tell what it plays')
  t.same(segmentedStreams(config, chromium), [mp3, aac])
  t.same(segmentedStreams(config, browser(t, { mse: ['audio/mp4; codecs="mp3"'] })), [mp3])
  t.same(segmentedStreams(config, browser(t, { mse: ['audio/mp4; codecs="mp4a.40.2"'] })), [aac])
  t.same(segmentedStreams(config, browser(t, {})), [])
})

t.test('each stream has its playlist', async (t) => {
  t.equal(playlistOf(mp3, 'me'), '/api/hls/mp3-192/live.m3u8?listener=me')
  t.equal(playlistOf(aac, 'me'), '/api/hls/aac-64/live.m3u8?listener=me')
})

t.test('a segment names its song while it lasts', async (t) => {
  const cue = (startTime: number, key: string, data: string) => ({ startTime, value: { key, data } })
  const audio = (currentTime: number, activeCues: object[]) =>
    ({ currentTime, textTracks: [{ kind: 'metadata', activeCues }] }) as unknown as HTMLAudioElement
  const one = [cue(6, 'TIT2', 'Тиха ніч'), cue(6, 'TPE1', 'Хор')]
  t.same(titleIn(audio(7, one)), { title: 'Тиха ніч', artist: 'Хор' })
  t.same(titleIn(audio(13, one)), null, 'a segment without a song followed')
  t.same(titleIn(audio(12.2, [...one, cue(12.1, 'TIT2', 'Next')])), { title: 'Next', artist: '' })
  t.same(titleIn(audio(7, [])), null)
  t.same(titleIn({ currentTime: 7, textTracks: [] } as never), null)
})

t.test('dates tell the lag; a segment may take half a minute', async (t) => {
  let heardMs: number | null = null
  const lag = createSegmentLag({ heardMs: () => heardMs, stationNowMs: () => NOON + 20_000 })
  t.same([lag.measure(), lag.lagS()], [null, 0])
  lag.opened(15)
  t.same([lag.measure(), lag.lagS()], [null, 15], 'what is shown does not jump before the first sound')
  heardMs = NOON
  t.same([lag.measure(), lag.lagS()], [20, 20])
  lag.advanced()
  t.notOk(lag.isStalled())
  t.notOk(lag.isFarBehind(59))
  t.ok(lag.isFarBehind(61), 'a playlist has a minute')
})

t.test('a broken playlist goes on at the moment where it was', async (t) => {
  const opened: [string, number | null][] = []
  const source = {
    open: (playlist: string, fromMs: number | null) => void opened.push([playlist, fromMs]),
    heardMs: () => NOON,
    rest() {},
    close() {},
  }
  let loads = 0
  let isThere = false
  const request = createSegmentRequest({
    audio: { play: async () => {}, pause() {}, load() {}, removeAttribute() {} } as never,
    async load() {
      loads++
      if (!isThere) throw new Error('away')
      return source
    },
    ...{ choose: () => mp3, listener: 'me', stationNowMs: () => NOON },
  })
  t.equal(await request.open(null, () => {}), 'unavailable', 'the network is away')
  isThere = true
  t.equal(await request.open(null, () => {}), 'started')
  t.equal(
    await request.open(
      () => 25,
      () => {},
    ),
    'started',
  )
  const playlist = '/api/hls/mp3-192/live.m3u8?listener=me'
  t.same(opened, [
    [playlist, null],
    [playlist, NOON - 25_000],
  ])
  t.equal(loads, 2, 'it is loaded once')
  t.equal(request.heardMs(), NOON)
  request.drop()
  t.equal(request.heardMs(), null)
  t.notOk(request.isOpen())
  const late = request.open(null, () => {})
  request.drop()
  t.equal(await late, 'superseded')
})
