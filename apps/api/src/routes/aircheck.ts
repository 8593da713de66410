import { Readable } from 'node:stream'
import type { Config } from '@solstice/adapters'
import { aircheck } from '@solstice/contracts'
import {
  cutSlices,
  dateNow,
  dayOf,
  Failure,
  type Heard,
  holesIn,
  lengthOf,
  type MediaStorage,
  readSlices,
  recordedBetween,
  showsIn,
  soundAt,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { readRange } from '../files/byte-range.ts'
import { textTag } from '../hls/id3.ts'
import { implement } from '../http/implement.ts'

export interface AircheckDeps {
  config: Config
  media: MediaStorage
  clock: WallClock
}

/** The recorded broadcast: what was on, and its sound. */
export function aircheckRoutes(app: FastifyInstance, { config, media, clock }: AircheckDeps): void {
  implement(app, aircheck.getAircheckDay, async ({ params }) => {
    const { timeZone, aircheckDays } = config
    const day = dayOf(params.date, timeZone)
    if (!day) throw new Failure('BAD_REQUEST', { field: 'date' })
    const { fromMs: from, untilMs: until } = day
    const { pieces, heard } = await recordedBetween(media, from, until)
    const lastMs = Math.max(from, Math.min(until, dateNow(clock)))
    const holes = holesIn(pieces, from, lastMs)
    const shows = showsIn(heard, lastMs)
    return { ok: true as const, keptDays: aircheckDays, timeZone, from, until, heard, holes, shows }
  })

  implement(app, aircheck.getAircheckMoment, async ({ query }) => ({
    ok: true as const,
    ...(await soundAt(media, query.ms)),
  }))

  implement(app, aircheck.getAircheckSound, async ({ query, request, reply }) => {
    const { from, to, download } = query
    if (to <= from || to - from > aircheck.MAX_AIRCHECK_PIECE_MS)
      throw new Failure('BAD_REQUEST', { field: 'to' })
    const { pieces, heard } = await recordedBetween(media, from, to, { heard: download })
    const slices = await cutSlices(media, pieces, from, to)
    const tag = download ? tagOf(heard, from, to) : Buffer.alloc(0)
    const size = lengthOf(slices)
    if (size === 0) throw new Failure('NOT_FOUND')
    reply.header('cache-control', 'no-store').type('audio/mpeg')
    if (download) {
      const name = `aircheck-${stamp(from).replaceAll(':', '-')}.mp3`
      reply
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('content-length', tag.length + size)
      const whole = readSlices(media, slices, { start: 0, end: size - 1 })
      return reply.send(Readable.from(request.method === 'HEAD' ? [] : behind(tag, whole)))
    }
    const range = readRange(request.headers.range, size)
    reply.header('accept-ranges', 'bytes')
    if (range === 'unsatisfiable') {
      reply.header('content-range', `bytes */${size}`)
      throw new Failure('RANGE_NOT_SATISFIABLE')
    }
    const wanted = range ?? { start: 0, end: size - 1 }
    if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
    reply.header('content-length', wanted.end - wanted.start + 1)
    return reply.send(Readable.from(request.method === 'HEAD' ? [] : readSlices(media, slices, wanted)))
  })
}

/** The only track in a piece names it; else its time and those who spoke do. */
function tagOf(heard: readonly Heard[], from: number, to: number): Buffer {
  const tracks = heard.filter(({ kind }) => kind === 'track')
  const titles = new Set(tracks.map(({ title, artist }) => JSON.stringify([title, artist])))
  const [only] = tracks
  if (only && titles.size === 1) return textTag({ title: only.title, artist: only.artist, date: stamp(from) })
  const speakers = [...new Set(heard.flatMap((one) => one.speakers))]
  return textTag({ title: `${stamp(from)} – ${stamp(to)}`, artist: speakers.join(', '), date: stamp(from) })
}

async function* behind(tag: Uint8Array, sound: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield tag
  yield* sound
}

/** `2026-11-23T14:05:00Z` */
const stamp = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '')
