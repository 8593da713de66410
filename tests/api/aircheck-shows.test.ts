import {
  createPartCutter,
  FRAME_MS,
  HOUR_MS,
  hourStartMs,
  joinHours,
  type Sound,
  writePart,
} from '@solstice/station'
import t, { type Test } from 'tap'
import { frameNumbers, handMadeAir } from '../harness/air/hand-made-air.ts'
import { asAdmin, SUPER_ADMIN } from '../harness/people/admin.ts'
import { openApp } from '../harness/stations/app.ts'
import { useStores } from '../harness/stations/stores.ts'

useStores('sql+cloud')

/** Midnight in Kyiv. */
const MIDNIGHT = hourStartMs('2026-11-20T22')
const DAY = '2026-11-20'
const PART_FRAMES = 50
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

/** A station whose broadcast is recorded part by part; a part has 50 frames. */
async function openStation(t: Test) {
  const station = await openApp(t, { ...SUPER_ADMIN, AIRCHECK_DAYS: '30', TIME_ZONE: 'Europe/Kyiv' })
  const { media } = station.ports
  let speakers: string[] = []
  const describe = (): Sound => ({ kind: 'track', title: 'Tide', artist: 'Hilda', speakers, order: null })
  const cut = createPartCutter({ last: null, partFrames: PART_FRAMES, dateOf: (atMs) => atMs, describe })
  const air = handMadeAir()
  const { ask } = await asAdmin(station, ['stats'])
  return {
    media,
    ask: (path: string, headers = {}) => ask(`GET ${path}`, undefined, headers),
    shows: async (date: string) => (await ask(`GET /api/admin/aircheck/${date}`)).body.shows,
    jump: air.jump,
    async broadcast(names: string[], parts: number) {
      speakers = names
      for (let i = 0; i < parts; i++)
        for (const part of cut(air.chunk(PART_FRAMES))) await writePart(media, part)
    },
  }
}

/** The text of the tag before the sound, and the sound. */
function untagged(file: Buffer): { tag: string; sound: Buffer } {
  const end = 10 + file.subarray(6, 10).reduce((sum, byte) => sum * 128 + byte, 0)
  return { tag: file.subarray(0, end).toString(), sound: file.subarray(end) }
}

for (const isJoined of [false, true])
  t.test(
    `a show over an hour and midnight is one file, of the day on which it began${isJoined ? ', half of it joined' : ''}`,
    async (t) => {
      const { media, ask, shows, jump, broadcast } = await openStation(t)
      const startMs = MIDNIGHT - 240.5 * FRAME_MS
      jump({ frame: 0, atMs: startMs })
      await broadcast([], 2)
      await broadcast(['ada'], 3)
      await broadcast(['ada', 'lin'], 3)
      await broadcast([], 2)
      if (isJoined) t.equal((await joinHours(media, MIDNIGHT + HOUR_MS / 2)).length, 1)
      const [show, ...others] = await shows(DAY)
      t.same(others, [])
      t.match(show, { speakers: ['ada', 'lin'] })
      const framesAt = [show.from, show.to].map((ms) => Math.round((ms - startMs) / FRAME_MS))
      t.same(framesAt, [100, 400])
      t.same(await shows('2026-11-21'), [], 'the day on which it ended does not list it again')

      const file = await ask(show.url)
      t.equal(file.status, 200)
      t.equal(Number(file.headers['content-length']), file.bytes.length)
      t.match(file.headers['content-disposition'], /^attachment; filename="show-2026-11-20T21-59-56Z\.mp3"$/)
      const { tag, sound } = untagged(file.bytes)
      t.match(tag, /^ID3.*TIT2.*ada, lin – 2026-11-20.*TPE1.*ada, lin.*TDRC.*2026-11-20T21:59:56Z$/s)
      t.same(frameNumbers(sound), numbers(100, 400))
      for (const [start, end] of [
        [3, 20],
        [5, 60_000],
        [70_000, file.bytes.length - 1],
      ] as const) {
        const range = await ask(show.url, { range: `bytes=${start}-${end}` })
        t.equal(range.status, 206)
        t.equal(range.headers['content-range'], `bytes ${start}-${end}/${file.bytes.length}`)
        t.ok(range.bytes.equals(file.bytes.subarray(start, end + 1)), `${start} to ${end}`)
      }
      t.equal((await ask(`${show.url}9`)).body.error.code, 'NOT_FOUND')
    },
  )

t.test('a show of any length is one file; silence of more than five minutes ends it', async (t) => {
  const { media, ask, shows, jump, broadcast } = await openStation(t)
  const [pieces, everyMs] = [70, 270_000]
  const startMs = MIDNIGHT - HOUR_MS / 2
  for (let i = 0; i < pieces; i++) {
    jump({ frame: i * 1_000, atMs: startMs + i * everyMs })
    await broadcast(['ada'], 1)
  }
  jump({ frame: 900_000, atMs: startMs + pieces * everyMs + 60_000 })
  await broadcast(['lin'], 1)
  await joinHours(media, MIDNIGHT + 3 * HOUR_MS)
  const [show, ...others] = await shows(DAY)
  t.same(others, [])
  t.ok(show.to - show.from > 5 * HOUR_MS)
  t.match(await shows('2026-11-21'), [{ speakers: ['lin'] }])
  const { sound } = untagged((await ask(show.url)).bytes)
  t.same(
    frameNumbers(sound),
    numbers(0, pieces).flatMap((i) => numbers(i * 1_000, i * 1_000 + PART_FRAMES)),
  )
})
