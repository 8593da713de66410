import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { codecs, FRAME_MS, FRAME_SAMPLES, type Mount } from '@solstice/station'
import t from 'tap'
import { handMadeAir } from '../../../../tests/harness/air/hand-made-air.ts'
import { CADENCE, createListeners, MOMENTS } from './listeners.ts'
import { createRing, type Ring } from './ring.ts'
import { burst, reserveMs, startPoint } from './start-point.ts'

const CHUNK_MS = 19 * FRAME_MS
const MOMENT_MS = (CHUNK_MS * 0.8) / MOMENTS

/** A connection that takes everything at once and keeps account of it. */
class Player extends Duplex {
  writes = 0
  /** Sound in hand just before the write that came latest, in ms. */
  leastMs = Number.POSITIVE_INFINITY
  readonly now: () => number
  readonly msOf: (bytes: number) => number
  readonly joinedMs: number
  receivedMs: number
  constructor(now: () => number, heldMs: number, msOf: (bytes: number) => number = () => 0) {
    super()
    this.now = now
    this.receivedMs = heldMs
    this.msOf = msOf
    this.joinedMs = now()
  }
  override _read() {}
  override _write(bytes: Buffer, _: BufferEncoding, done: () => void) {
    this.leastMs = Math.min(this.leastMs, this.receivedMs - (this.now() - this.joinedMs))
    this.receivedMs += this.msOf(bytes.length)
    this.writes++
    done()
  }
}

/** Reads the length of the sound in whole segments, one after the other. */
function soundFrom(ring: Ring, serial: number, wantsTitles: boolean) {
  let next = serial
  return (bytes: number) => {
    let ms = 0
    for (let rest = bytes; rest > 0; next++) {
      const { framed, chunk, fromMs, toMs } = ring.at(next)!
      rest -= wantsTitles ? framed.bytes.length : chunk.audio.length
      ms += toMs - fromMs
      if (rest < 0) throw new Error(`segment ${next} is not whole`)
    }
    return ms
  }
}

/** A replica whose time is a number: chunks come and rounds are held when the test says so. */
function replica(kbits = 128, codec: Mount['codec'] = 'mp3') {
  const air = handMadeAir(kbits, undefined, codec)
  const ring = createRing(30_000, codecs[codec])
  const listeners = createListeners(ring)
  let nowMs = 0
  const players: Player[] = []
  const join = (wantsTitles = false) => {
    const start = startPoint(ring, wantsTitles, undefined)
    const held = reserveMs(ring, start)
    const next = ring.newest!.serial + 1
    const player = new Player(() => nowMs, held, soundFrom(ring, next, wantsTitles))
    players.push(player)
    listeners.add(player as unknown as Socket, { wantsTitles, next, reserveMs: held })
    return player
  }
  /** Takes what a mount has when the first one has another chunk. */
  const receive = () => {
    const toSample = ((ring.newest?.serial ?? -1) + 2) * 19 * FRAME_SAMPLES
    const { frame, frames } = ring.newest?.chunk ?? { frame: 0, frames: 0 }
    return ring.add(air.chunk(Math.ceil(toSample / codecs[codec].frameSamples) - frame - frames))
  }
  /** Receives a chunk and hands it out, with `meanwhile` before each moment of the round. */
  const round = (everyone = false, meanwhile: (moment: number) => void = () => {}) => {
    const edge = receive()
    const beganMs = nowMs
    for (let moment = 0; moment < MOMENTS; moment++) {
      nowMs = beganMs + moment * MOMENT_MS
      meanwhile(moment)
      listeners.serve(moment, edge, everyone)
    }
    nowMs = beganMs + CHUNK_MS
  }
  const serveAll = () => {
    for (let moment = 0; moment < MOMENTS; moment++) listeners.serve(moment, ring.newest!, true)
  }
  const wait = (ms: number) => {
    nowMs += ms
  }
  for (let i = 0; i < 40; i++) round()
  return { ring, listeners, join, receive, round, serveAll, wait, players }
}

const least = (players: Player[]) => Math.min(...players.map(({ leastMs }) => leastMs))

for (const { codec, kbits } of [
  { codec: 'mp3', kbits: 128 },
  { codec: 'mp3', kbits: 32 },
  { codec: 'aac', kbits: 64 },
  { codec: 'aac', kbits: 32 },
  { codec: 'opus', kbits: 96 },
  { codec: 'opus', kbits: 32 },
] as const)
  t.test(
    `${codec} at ${kbits} kbit/s: a listener with a reserve costs one write in 3 s, and never has less than 4 s in hand`,
    async (t) => {
      const { join, round, players, listeners } = replica(kbits, codec)
      for (let i = 0; i < 20; i++) {
        round(false, () => {
          for (const isEven of [true, false, true, false]) join(isEven && codec !== 'opus')
        })
      }
      const before = players.map(({ writes }) => writes)
      const perMoment: number[] = []
      let written = before.reduce((sum, writes) => sum + writes, 0)
      for (let i = 0; i < 10 * CADENCE; i++) {
        round(false, () => {
          const now = players.reduce((sum, { writes }) => sum + writes, 0)
          perMoment.push(now - written)
          written = now
        })
      }
      t.equal(players.length, 400)
      t.ok(
        players.every(({ writes }, i) => writes - before[i]! === 10),
        'ten writes each in 30 s',
      )
      t.ok(least(players) >= 4_000, `${least(players)} ms`)
      t.ok(Math.max(...perMoment) <= 20, `at most ${Math.max(...perMoment)} of 400 at a moment`)
      t.equal(listeners.lagMs, 0, 'waiting for a turn is no lag')
    },
  )

t.test('at every bit rate and with titles a new listener gets what it can live on for 3 s', async (t) => {
  for (const codec of ['mp3', 'aac', 'opus'] as const) {
    for (const kbits of [32, 64, 128, 192, 320]) {
      for (const wantsTitles of codec === 'opus' ? [false] : [false, true]) {
        const { ring, receive } = replica(kbits, codec)
        // Between two titles there are 4 s at 32 kbit/s.
        const mostMs = kbits === 32 ? 12_500 : 12_000
        for (let back = 0; back < 8; back++) {
          const start = startPoint(ring, wantsTitles, undefined)
          const held = reserveMs(ring, start)
          t.ok(held >= 7_500 && held < mostMs, `${codec} at ${kbits} kbit/s: ${held} ms`)
          const { frame, frames } = ring.newest!.chunk
          const lengthMs = (frame + frames - start.frame) * codecs[codec].frameMs
          t.ok(Math.abs(held - lengthMs) < 1, 'from its first frame on')
          receive()
        }
      }
    }
  }
})

t.test('a listener without a reserve gets every chunk as it comes', async (t) => {
  const { ring, listeners, round } = replica()
  const player = new Player(() => 0, 0)
  listeners.add(player as unknown as Socket, {
    wantsTitles: false,
    next: ring.newest!.serial + 1,
    reserveMs: 7_400,
  })
  for (let i = 0; i < 7; i++) round()
  t.equal(player.writes, 7)
})

t.test('joined chunks are the bytes of the broadcast, in one buffer for all', async (t) => {
  const { ring, listeners, round } = replica()
  const got: Buffer[][] = []
  const takers = Array.from({ length: 80 }, (_, i) => {
    const parts: Buffer[] = []
    got.push(parts)
    const write = (bytes: Buffer, _: BufferEncoding, done: () => void) => {
      parts.push(bytes)
      done()
    }
    const socket = new Duplex({ read() {}, write })
    listeners.add(socket as Socket, {
      wantsTitles: i % 2 === 1,
      next: ring.newest!.serial + 1,
      reserveMs: 8_000,
    })
    return socket
  })
  const from = ring.newest!.serial + 1
  for (let i = 0; i < 2 * CADENCE; i++) round()
  const sent = (ring: Ring, wantsTitles: boolean, bytes: number) => {
    const parts: Buffer[] = []
    for (let serial = from; ring.at(serial); serial++) {
      const { framed, chunk } = ring.at(serial)!
      parts.push(wantsTitles ? framed.bytes : chunk.audio)
    }
    return Buffer.concat(parts).subarray(0, bytes)
  }
  for (const [i, parts] of got.entries()) {
    const bytes = Buffer.concat(parts)
    if (!bytes.equals(sent(ring, i % 2 === 1, bytes.length))) t.fail(`listener ${i}`)
  }
  t.equal(takers.length, 80)
  const lasts = got.map((parts) => parts.at(-1)!)
  t.equal(new Set(lasts).size, 2 * CADENCE, 'one buffer per turn and kind')
})

t.test(
  'after a hole in the sound everyone is carried to the edge at once, then has turns again',
  async (t) => {
    const { join, round, players, serveAll, wait, ring } = replica()
    for (let i = 0; i < 8; i++) round(false, () => void join(i % 2 === 0))
    for (let i = 0; i < 2 * CADENCE; i++) round()
    // The worker is replaced: nothing for 4 s; the replica hands out what is left after one.
    wait(1_000)
    serveAll()
    wait(2_500)
    const before = players.map(({ writes }) => writes)
    for (let i = 0; i < 6; i++) {
      wait(-CHUNK_MS + 50)
      round(true)
    }
    t.ok(
      players.every(({ writes }, i) => writes - before[i]! === 6),
      'each chunk while the broadcast catches up',
    )
    for (let i = 0; i < 4 * CADENCE; i++) round()
    t.ok(least(players) >= 2_000, `${least(players)} ms`)
    t.ok(players.every(({ writes }, i) => writes - before[i]! === 6 + 4))
    t.equal(burst(ring, startPoint(ring, false, undefined), false).length, 16)
  },
)

t.test('turns that a hurried round passed over are made up for', async (t) => {
  const { ring, listeners, join } = replica()
  const players = Array.from({ length: 60 }, () => join())
  const air = handMadeAir()
  air.jump({ frame: 40 * 19, byte: 0 })
  for (let i = 0; i < 3; i++) ring.add(air.chunk())
  for (let moment = 0; moment < MOMENTS; moment++) listeners.serve(moment, ring.newest!, false)
  t.equal(players.filter(({ writes }) => writes === 1).length, (60 * 3) / CADENCE, 'three turns in one round')
})
