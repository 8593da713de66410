import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { FRAME_MS } from '@solstice/station'
import t from 'tap'
import { handMadeAir } from '../../../../tests/harness/air/hand-made-air.ts'
import { CADENCE, createListeners, MOMENTS } from './listeners.ts'
import { createRing, type Ring } from './ring.ts'
import { burst, reserveMs, startPoint } from './start-point.ts'

const CHUNK_MS = 19 * FRAME_MS
const MOMENT_MS = (CHUNK_MS * 0.8) / MOMENTS

/** A connection that takes everything at once and keeps account of it. */
class Player extends Duplex {
  bytes = 0
  writes = 0
  /** Sound in hand just before the write that came latest, in ms. */
  leastMs = Number.POSITIVE_INFINITY
  readonly now: () => number
  readonly heldMs: number
  readonly joinedMs: number
  constructor(now: () => number, heldMs: number) {
    super()
    this.now = now
    this.heldMs = heldMs
    this.joinedMs = now()
  }
  override _read() {}
  override _write(bytes: Buffer, _: BufferEncoding, done: () => void) {
    const receivedMs = this.heldMs + this.bytes / 16
    this.leastMs = Math.min(this.leastMs, receivedMs - (this.now() - this.joinedMs))
    this.bytes += bytes.length
    this.writes++
    done()
  }
}

/** A replica whose time is a number: chunks come and rounds are held when the test says so. */
function replica(kbits = 128) {
  const air = handMadeAir(kbits)
  const ring = createRing(30_000)
  const listeners = createListeners(ring)
  let nowMs = 0
  const players: Player[] = []
  const join = (wantsTitles = false) => {
    const start = startPoint(ring, wantsTitles, undefined)
    const held = reserveMs(ring, start)
    const player = new Player(() => nowMs, held)
    players.push(player)
    listeners.add(player as unknown as Socket, {
      wantsTitles,
      next: ring.newest!.serial + 1,
      reserveMs: held,
    })
    return player
  }
  /** Receives a chunk and hands it out, with `meanwhile` before each moment of the round. */
  const round = (everyone = false, meanwhile: (moment: number) => void = () => {}) => {
    const edge = ring.add(air.chunk())
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
  return { ring, listeners, join, round, serveAll, wait, players }
}

const least = (players: Player[]) => Math.min(...players.map(({ leastMs }) => leastMs))

t.test('a listener with a reserve costs one write in 3 s, and never has less than 4 s in hand', async (t) => {
  const { join, round, players, listeners } = replica()
  for (let i = 0; i < 20; i++) {
    round(false, () => {
      for (const wantsTitles of [true, false, true, false]) join(wantsTitles)
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
})

t.test('at every bit rate and with titles a new listener gets what it can live on for 3 s', async (t) => {
  for (const kbits of [64, 128, 192, 320]) {
    for (const wantsTitles of [false, true]) {
      const { ring } = replica(kbits)
      for (let back = 0; back < 8; back++) {
        const held = reserveMs(ring, startPoint(ring, wantsTitles, undefined))
        t.ok(held >= 7_500 && held < 12_000, `${kbits} kbit/s: ${held} ms`)
        ring.add(handMadeAir(kbits).chunk())
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
