import {
  createPartCutter,
  FRAME_MS,
  HOUR_MS,
  hourOf,
  hourStartMs,
  joinHours,
  type Sound,
  withPayments,
  writePart,
} from '@solstice/station'
import t, { type Test } from 'tap'
import { frameNumbers, handMadeAir } from '../harness/air/hand-made-air.ts'
import { pendingDonation } from '../harness/donations/orders.ts'
import { asAdmin, SUPER_ADMIN } from '../harness/people/admin.ts'
import { openApp } from '../harness/stations/app.ts'
import { useStores } from '../harness/stations/stores.ts'

useStores('sql+cloud')

const HOUR = '2026-11-20T14'
const START = hourStartMs(HOUR)
const FRAMES = 400
const HOST_FROM = 200
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
/** A moment in the middle of a frame. */
const within = (frame: number) => START + (frame + 0.5) * FRAME_MS

/** A station that recorded 400 frames, in the second half of which a host spoke; the first 40 frames are missing. */
async function recordedStation(t: Test, isJoined: boolean) {
  const station = await openApp(t, { ...SUPER_ADMIN, AIRCHECK_DAYS: '30', TIME_ZONE: 'UTC' })
  const { media, data } = station.ports
  let speakers: string[] = []
  const order = { type: 'donated', id: 'order-1' } as const
  const describe = (): Sound => ({ kind: 'track', title: 'Tide', artist: 'Hilda', speakers, order })
  const cut = createPartCutter({ last: null, partFrames: 50, dateOf: (atMs) => atMs, describe })
  const air = handMadeAir(128, START + 40 * FRAME_MS)
  air.jump({ frame: 40 })
  for (let frame = 40; frame < FRAMES; frame += 20) {
    if (frame >= HOST_FROM) speakers = ['ada']
    for (const part of cut(air.chunk(20))) await writePart(media, part)
  }
  await data.donations.put(pendingDonation('order-1', { status: 'paid' }))
  if (isJoined) await joinHours(media, START + 2 * HOUR_MS, (heard) => withPayments(data, heard))
  const { ask } = await asAdmin(station, ['stats'])
  return { ask: (path: string, headers = {}) => ask(`GET /api/admin/aircheck/${path}`, undefined, headers) }
}

for (const isJoined of [false, true])
  t.test(`what was recorded is found and cut at frames, ${isJoined ? 'joined' : 'in parts'}`, async (t) => {
    const { ask } = await recordedStation(t, isJoined)
    const day = await ask('2026-11-20')
    t.equal(day.status, 200)
    t.match(day.body, { keptDays: 30, from: START - 14 * HOUR_MS, until: START + 10 * HOUR_MS })
    t.match(day.body.heard, [
      { frame: 40, kind: 'track', title: 'Tide', speakers: [] },
      { frame: HOST_FROM, speakers: ['ada'] },
    ])
    // Of a part whose records could not be read, the hour tells what was paid.
    const paid = isJoined ? { amount: 50, currency: 'UAH' } : {}
    t.same(day.body.heard[0].order, { type: 'donated', id: 'order-1', ...paid })
    t.match(day.body.shows, [{ speakers: ['ada'] }])
    t.equal(day.body.shows.length, 1)
    t.match(day.body.holes[0], { atMs: START - 14 * HOUR_MS, cause: 'not-recorded' })

    const moment = (ms: number) => ask(`at?ms=${Math.round(ms)}`)
    t.match((await moment(within(100))).body, { heard: { title: 'Tide', speakers: [] }, hole: null })
    t.match((await moment(within(300))).body, { heard: { speakers: ['ada'] } })
    t.match((await moment(START - 60_000)).body, { heard: null, hole: { cause: 'not-recorded' } })

    const path = `sound.mp3?from=${within(60)}&to=${within(349)}`
    const piece = await ask(path)
    t.equal(piece.status, 200)
    t.same(frameNumbers(piece.bytes), numbers(60, 350))
    const range = await ask(path, { range: 'bytes=30000-70000' })
    t.equal(range.status, 206)
    t.equal(range.headers['content-range'], `bytes 30000-70000/${piece.bytes.length}`)
    t.ok(range.bytes.equals(piece.bytes.subarray(30_000, 70_001)))
    t.equal((await ask(path, { range: 'bytes=9000000-' })).body.error.code, 'RANGE_NOT_SATISFIABLE')

    const file = await ask(`${path}&download=true`)
    t.match(
      file.headers['content-disposition'],
      /^attachment; filename="aircheck-2026-11-20T14-00-01Z\.mp3"$/,
    )
    t.equal(Number(file.headers['content-length']), file.bytes.length)
    const tag = file.bytes.subarray(0, file.bytes.length - piece.bytes.length).toString('latin1')
    t.match(tag, /^ID3.*TIT2.*Tide.*TPE1.*Hilda.*TDRC.*2026-11-20T14:00:01Z$/s)
    t.ok(file.bytes.subarray(tag.length).equals(piece.bytes))
  })

t.test('what a recorder is about to store is no hole of today; what it missed is one', async (t) => {
  // A time zone in which the day is in its middle.
  const hoursBehind = new Date().getUTCHours() - 12
  const TIME_ZONE = `Etc/GMT${hoursBehind < 0 ? '' : '+'}${hoursBehind}`
  const station = await openApp(t, { ...SUPER_ADMIN, AIRCHECK_DAYS: '30', TIME_ZONE })
  const { ask } = await asAdmin(station, ['stats'])
  const holesNow = async () => {
    const today = new Date(Date.now() - hoursBehind * HOUR_MS).toISOString().slice(0, 10)
    return (await ask(`GET /api/admin/aircheck/${today}`)).body.holes
  }
  const holeAt = async (ms: number) =>
    (await ask(`GET /api/admin/aircheck/at?ms=${Math.round(ms)}`)).body.hole
  const record = async (agoMs: number) => {
    const describe = (): Sound => ({ kind: 'track', title: '', artist: '', speakers: [], order: null })
    const cut = createPartCutter({ last: null, partFrames: 50, dateOf: (atMs) => atMs, describe })
    for (const part of cut(handMadeAir(128, Date.now() - agoMs).chunk(50)))
      await writePart(station.ports.media, part)
  }
  await record(2 * HOUR_MS)
  t.equal((await holesNow()).length, 2, 'before and after it')
  t.match(await holeAt(Date.now() - 3_000), { cause: 'not-recorded' })
  await record(10_000)
  t.equal((await holesNow()).length, 2, 'before and between')
  t.equal(await holeAt(Date.now() - 3_000), null)
})

t.test('pieces that are too long, end before they begin or were not recorded are refused', async (t) => {
  const { ask } = await recordedStation(t, true)
  const sound = async (from: number, to: number) =>
    (await ask(`sound.mp3?from=${from}&to=${to}`)).body.error.code
  t.equal(await sound(START, START + 4 * HOUR_MS + 1), 'BAD_REQUEST')
  t.equal(await sound(START + 1, START), 'BAD_REQUEST')
  t.equal(await sound(START - HOUR_MS, START - HOUR_MS + 1_000), 'NOT_FOUND')
  t.equal((await ask('2026-02-30')).body.error.code, 'BAD_REQUEST')
  t.equal(hourOf(START), HOUR)
})
