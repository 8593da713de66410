import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { decode, makeTone } from '../../../../../../../tests/harness/audio/audio.ts'
import { holdTimers, settled } from '../../../../../../../tests/harness/held-timers.ts'
import type { RenewingToken } from '../../../connection/renewing-token.ts'
import { createDeck } from './deck.ts'
import { createDecks } from './decks.ts'

const token: RenewingToken = {
  peek: () => 'token',
  get: async () => 'token',
  renew: async () => 'token',
  stop() {},
}
const tokens = { artToken: token, audioToken: token }

/** Answers for the station. */
function answer(t: Test, fetch: (track: string, range: string) => Promise<Response>): void {
  const { fetch: real } = globalThis
  Object.assign(globalThis, {
    fetch: (url: string, { headers }: { headers: { Range: string } }) =>
      fetch(new URL(url, 'http://station').searchParams.get('track')!, headers.Range),
  })
  t.teardown(() => Object.assign(globalThis, { fetch: real }))
}

t.test('a press fetches at once what waits for a retry; a pause waits for the press', async (t) => {
  const waiting = holdTimers(t)
  let fetches = 0
  answer(t, async () => {
    fetches++
    throw new TypeError('offline')
  })
  let retries = 0
  const deck = createDeck({
    ...tokens,
    onRetry: () => retries++,
    onUnfit: () => t.fail('the file is fit'),
  })
  t.teardown(deck.unload)
  deck.load('day/Low Tide.mp3', 300)
  await settled(() => retries === 1)
  t.equal(fetches, 1)
  t.equal(waiting.size, 1)
  deck.sound!.want(44_100)
  t.equal(fetches, 1, 'nothing else asks meanwhile')
  deck.resume()
  await settled(() => retries === 2)
  t.equal(fetches, 2)

  deck.rest()
  t.equal(waiting.size, 0)
  deck.resume()
  deck.rest()
  await settled(() => fetches === 3 && waiting.size === 0)
  t.equal(retries, 2, 'what fails during a pause is not retried')
  deck.resume()
  await settled(() => retries === 3)
  t.equal(fetches, 4)
})

const wrongFiles = {
  'that is no MP3': () =>
    new Response(new Uint8Array(100_000).fill(0x52), {
      status: 206,
      headers: { 'Content-Range': 'bytes 0-99999/100000' },
    }),
  'that comes whole, whatever part is asked for': () => new Response(new Uint8Array(100_000)),
}
for (const [kind, respond] of Object.entries(wrongFiles)) {
  t.test(`a file ${kind} is told each time that it is loaded`, async (t) => {
    answer(t, async () => respond())
    let told = () => {}
    const deck = createDeck({
      ...tokens,
      onRetry: () => t.fail('nothing is retried'),
      onUnfit: () => told(),
    })
    for (let i = 0; i < 2; i++) {
      const unfit = new Promise<void>((resolve) => {
        told = resolve
      })
      deck.load('day/Low Tide.mp3', 300)
      await unfit
      t.equal(deck.track, null)
    }
  })
}

t.test('a decoder that never answers is given up', async (t) => {
  const waiting = holdTimers(t)
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0x00])
  const file = Buffer.concat(Array.from({ length: 100 }, () => frame))
  answer(t, async () => {
    const headers = { 'Content-Range': `bytes 0-${file.length - 1}/${file.length}` }
    return new Response(file, { status: 206, headers })
  })
  let decodes = 0
  class Context {
    decodeAudioData() {
      decodes++
      return new Promise(() => {})
    }
  }
  Object.assign(globalThis, { OfflineAudioContext: Context })
  let told: string | null = null
  const deck = createDeck({
    ...tokens,
    onRetry: () => t.fail('nothing is retried'),
    onUnfit: (track) => {
      told = track
    },
  })
  deck.load('day/Low Tide.mp3', 300)
  await settled(() => decodes === 1)
  t.equal(waiting.size, 1)
  for (const timeIsUp of waiting) timeIsUp()
  await settled(() => told !== null)
  t.equal(told, 'day/Low Tide.mp3')
})

t.test('the beginning of the next track is fetched once the one on air is there', async (t) => {
  const path = join(t.testdir(), 'tone.mp3')
  await makeTone(path, { hz: 440, seconds: 15 })
  const file = await readFile(path)
  class Context {
    async decodeAudioData(mp3: ArrayBuffer) {
      const samples = await decode(new Uint8Array(mp3))
      return { numberOfChannels: 1, length: samples.length, getChannelData: () => samples }
    }
  }
  const connection = { saveData: false }
  Object.assign(globalThis, { OfflineAudioContext: Context })
  Object.defineProperty(globalThis, 'navigator', { value: { connection }, configurable: true })
  const fetched: string[] = []
  const whole = new Set<string>()
  answer(t, async (track, range) => {
    fetched.push(track)
    if (track === 'lost') throw new TypeError('offline')
    const [, start, end] = /(\d+)-(\d+)/.exec(range)!.map(Number)
    if (end! + 1 >= file.length) whole.add(track)
    const headers = { 'Content-Range': `bytes ${start}-${end}/${file.length}` }
    return new Response(file.subarray(start, end! + 1), { status: 206, headers })
  })
  const times = (track: string) => fetched.filter((one) => one === track).length
  const decks = createDecks({
    ...tokens,
    onRetry: () => t.fail('only what is on air is retried'),
    onUnfit: () => t.fail('the files are fit'),
  })
  t.teardown(decks.unload)

  decks.load('now', 300, 0)
  decks.prepare('next', 300)
  t.same(fetched, ['now'], 'not before')
  await settled(() => decks.sound!.endsAt() !== null)
  connection.saveData = true
  decks.prepare('next', 300)
  t.equal(times('next'), 0, 'not where data is to be saved')
  connection.saveData = false
  decks.prepare('next', 300)
  await settled(() => times('next') > 0)
  decks.prepare('other', 300)
  decks.prepare('other', 300)
  await settled(() => times('other') > 0)
  decks.prepare('lost', 300)
  await settled(() => times('lost') > 0)
  await new Promise(setImmediate)
  decks.prepare('lost', 300)
  t.equal(times('lost'), 1, 'not a second time')
  decks.prepare('other', 300)
  whole.delete('other')
  await settled(() => whole.has('other'))

  const fetches = times('other')
  decks.load('other', 300, 0)
  t.equal(decks.track, 'other')
  await settled(() => decks.sound!.endsAt() !== null)
  t.equal(times('other'), fetches, 'and taken when it is on air')
  decks.prepare('next', 300)
  const before = times('next')
  decks.rest()
  decks.load('next', 300, 0)
  t.equal(times('next'), before + 1, 'nothing is kept through a pause')
})
