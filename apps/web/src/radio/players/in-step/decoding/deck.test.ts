import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { decode, makeTone } from '../../../../../../../tests/harness/audio/audio.ts'
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

/** Holds timers; returns those that wait. */
function holdTimers(t: Test): ReadonlySet<() => void> {
  const { setTimeout, clearTimeout } = globalThis
  const waiting = new Set<() => void>()
  Object.assign(globalThis, {
    setTimeout(run: () => void) {
      waiting.add(run)
      return run
    },
    clearTimeout: (run: () => void) => waiting.delete(run),
  })
  t.teardown(() => Object.assign(globalThis, { setTimeout, clearTimeout }))
  return waiting
}

/** Resolves when something that happens by itself has happened. */
async function seen(what: () => boolean): Promise<void> {
  while (!what()) await new Promise(setImmediate)
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
  await seen(() => retries === 1)
  t.equal(fetches, 1)
  t.equal(waiting.size, 1)
  deck.sound!.want(44_100)
  t.equal(fetches, 1, 'nothing else asks meanwhile')
  deck.resume()
  await seen(() => retries === 2)
  t.equal(fetches, 2)

  deck.rest()
  t.equal(waiting.size, 0)
  deck.resume()
  deck.rest()
  await seen(() => fetches === 3 && waiting.size === 0)
  t.equal(retries, 2, 'what fails during a pause is not retried')
  deck.resume()
  await seen(() => retries === 3)
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

  decks.load('now', 300)
  decks.prepare('next', 300)
  t.same(fetched, ['now'], 'not before')
  await seen(() => decks.sound!.endsAt() !== null)
  connection.saveData = true
  decks.prepare('next', 300)
  t.equal(times('next'), 0, 'not where data is to be saved')
  connection.saveData = false
  decks.prepare('next', 300)
  await seen(() => times('next') > 0)
  decks.prepare('other', 300)
  decks.prepare('other', 300)
  await seen(() => times('other') > 0)
  decks.prepare('lost', 300)
  await seen(() => times('lost') > 0)
  await new Promise(setImmediate)
  decks.prepare('lost', 300)
  t.equal(times('lost'), 1, 'not a second time')
  decks.prepare('other', 300)
  whole.delete('other')
  await seen(() => whole.has('other'))

  const fetches = times('other')
  decks.load('other', 300)
  t.equal(decks.track, 'other')
  await seen(() => decks.sound!.endsAt() !== null)
  t.equal(times('other'), fetches, 'and taken when it is on air')
  decks.prepare('next', 300)
  const before = times('next')
  decks.rest()
  decks.load('next', 300)
  t.equal(times('next'), before + 1, 'nothing is kept through a pause')
})
