import t, { type Test } from 'tap'
import type { RenewingToken } from '../../../connection/renewing-token.ts'
import { createDeck } from './deck.ts'

const token: RenewingToken = {
  peek: () => 'token',
  get: async () => 'token',
  renew: async () => 'token',
  stop() {},
}
/** Less than the shortest delay before a retry. */
const AT_ONCE_MS = 300

/** Answers for the station. */
function answer(t: Test, fetch: () => Promise<Response>): void {
  const { fetch: real } = globalThis
  Object.assign(globalThis, { fetch })
  t.teardown(() => Object.assign(globalThis, { fetch: real }))
}

t.test('a press fetches at once what waits for a retry', async (t) => {
  let fetches = 0
  answer(t, async () => {
    fetches++
    throw new TypeError('offline')
  })
  const failures: (() => void)[] = []
  const failed = () => new Promise<void>((resolve) => failures.push(resolve))
  const deck = createDeck({
    artToken: token,
    audioToken: token,
    onRetry: () => failures.shift()?.(),
    onUnfit: () => t.fail('the file is fit'),
  })
  t.teardown(deck.unload)
  const first = failed()
  deck.load('day/Low Tide.mp3', 300)
  await first
  t.equal(fetches, 1)
  deck.sound!.want(44_100)
  t.equal(fetches, 1, 'nothing else asks meanwhile')
  const second = failed()
  const beganMs = performance.now()
  deck.retryNow()
  await second
  t.equal(fetches, 2)
  t.ok(performance.now() - beganMs < AT_ONCE_MS)
})

t.test('a file that is no MP3 is told each time that it is loaded', async (t) => {
  answer(
    t,
    async () =>
      new Response(new Uint8Array(100_000).fill(0x52), {
        status: 206,
        headers: { 'Content-Range': 'bytes 0-99999/100000' },
      }),
  )
  let told = () => {}
  const deck = createDeck({
    artToken: token,
    audioToken: token,
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
