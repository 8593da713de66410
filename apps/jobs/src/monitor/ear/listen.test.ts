import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FRAME_MS } from '@solstice/station'
import t, { type Test } from 'tap'
import { handMadeAir } from '../../../../../tests/harness/air/hand-made-air.ts'
import { until } from '../../../../../tests/harness/until.ts'
import { createBroadcast } from '../broadcast.ts'
import { listen } from './listen.ts'

/** An ear at an address that hands out what it is told to, by a clock of its own. */
async function openEar(t: Test) {
  const air = handMadeAir()
  const { broadcast, take } = createBroadcast('mp3')
  const answers: ServerResponse[] = []
  let begins: number | null = null
  const server = createServer((_, answer) => {
    const first = begins ?? (broadcast.newest ?? -1) + 1
    answers.push(answer.writeHead(200, { 'x-stream-frame': String(first) }))
    answer.flushHeaders()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  let nowMs = 100_000
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ear = listen({ url, codec: 'mp3', broadcast, ffmpegPath: 'ffmpeg', now: () => nowMs })
  t.teardown(() => {
    ear.stop()
    server.close()
    server.closeAllConnections()
  })
  await until('it is connected', () => answers.length > 0)
  return {
    ear,
    pass: (ms: number) => {
      nowMs += ms
    },
    /** Broadcasts a second, and hands it out but for some frames at its end; then another one, whole. */
    async leaveOut(frames: number) {
      for (const left of [frames, 0]) {
        const chunk = air.chunk(38)
        take(chunk)
        answers.at(-1)!.write(chunk.audio.subarray(0, Math.floor(((38 - left) / 38) * chunk.audio.length)))
        nowMs += 38 * FRAME_MS
      }
      await until('all of it is heard', () => {
        ear.heard()
        return ear.frame === broadcast.newest
      })
      return ear.heard().leftOut
    },
    /** Broadcasts two seconds, and loses frames before the last of them. @returns what a replica has of them, the first frame of which is told next. */
    lose(frames: number) {
      const first = (broadcast.newest ?? -1) + 1
      begins = first
      const chunk = air.chunk(38)
      take(chunk)
      air.jump({ frame: first + 38 + frames })
      const behind = air.chunk(38)
      take(behind)
      return Buffer.concat([chunk.audio, behind.audio])
    },
    broadcast,
    answers,
  }
}

t.test('frames that an address leaves out are missing, once', async (t) => {
  const { leaveOut, ear } = await openEar(t)
  t.equal(await leaveOut(0), null)
  t.match(await leaveOut(3), { after: 110, frames: 3, atMs: Number })
  t.same(await leaveOut(0), ear.heard().leftOut)
})

t.test('a listener who could not follow is moved to the newest sound, and nothing is missing', async (t) => {
  const suspended = await openEar(t)
  await suspended.leaveOut(0)
  suspended.ear.forgive()
  t.equal(await suspended.leaveOut(20), null, 'this process did not run')
  suspended.pass(3_000)
  t.equal(await suspended.leaveOut(20), null, 'sound of before was still under way')

  const { leaveOut, pass, ear } = await openEar(t)
  await leaveOut(0)
  pass(10_000)
  t.equal(await leaveOut(20), null, 'nothing came for longer than players have in hand')
  for (let second = 0; second < 12; second += 2) await leaveOut(0)
  t.match(await leaveOut(20), { frames: 20 })
  t.ok(ear.heard().leftOut)
})

t.test('a hole in the broadcast is no fault of an address, nor is what it had before the hole', async (t) => {
  const { leaveOut, lose, ear, broadcast, answers } = await openEar(t)
  await leaveOut(0)
  const last = broadcast.newest!
  const before = lose(50)
  await until('it connects again', () => {
    ear.heard()
    return answers.length > 1
  })
  answers.at(-1)!.write(before)
  await until('sound from behind the hole is heard', () => {
    ear.heard()
    return ear.frame === broadcast.newest
  })
  t.equal(broadcast.newest, last + 50 + 76)
  t.match(ear.heard(), { differingMs: 0, behindMs: 0, leftOut: null })
  t.equal(await leaveOut(0), null)
  t.match(await leaveOut(3), { frames: 3 })
})

t.test('a connection that breaks counts anew', async (t) => {
  const { leaveOut, answers } = await openEar(t)
  await leaveOut(0)
  answers[0]!.destroy()
  await until('it is connected again', () => answers.length > 1)
  t.equal(await leaveOut(0), null)
})
