import { Readable } from 'node:stream'
import type { Config } from '@solstice/adapters'
import { aircheck } from '@solstice/contracts'
import {
  type Cut,
  cutSlices,
  dateNow,
  dateText,
  dayOf,
  Failure,
  type Heard,
  holesUntilNow,
  lengthOf,
  type MediaStorage,
  readCut,
  recordedBetween,
  showBegunAt,
  showsBegun,
  soundAt,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readRange } from '../files/byte-range.ts'
import { textTag } from '../hls/id3.ts'
import { implement } from '../http/implement.ts'

const { path: SHOW_PATH } = aircheck.getAircheckShow

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
    const nowMs = dateNow(clock)
    const holes = holesUntilNow(pieces, from, until, nowMs)
    const begun = await showsBegun(media, { pieces, heard }, { fromMs: from, untilMs: until, nowMs })
    const shows = begun.map((show) => ({ ...show, url: `${SHOW_PATH}?from=${Math.floor(show.from)}` }))
    return { ok: true as const, keptDays: aircheckDays, timeZone, from, until, heard, holes, shows }
  })

  implement(app, aircheck.getAircheckMoment, async ({ query }) => ({
    ok: true as const,
    ...(await soundAt(media, query.ms, dateNow(clock))),
  }))

  implement(app, aircheck.getAircheckSound, async ({ query, request, reply }) => {
    const { from, to, download } = query
    if (to <= from || to - from > aircheck.MAX_AIRCHECK_PIECE_MS)
      throw new Failure('BAD_REQUEST', { field: 'to' })
    const { pieces, heard } = await recordedBetween(media, from, to, { heard: download })
    const cut = { fromMs: from, toMs: to, slices: await cutSlices(media, pieces, from, to) }
    if (!download) return sendCut(media, cut, { request, reply })
    const file = { tag: tagOf(heard, from, to), name: `aircheck-${stamp(from).replaceAll(':', '-')}.mp3` }
    return sendCut(media, cut, { request, reply }, file)
  })

  implement(app, aircheck.getAircheckShow, async ({ query, request, reply }) => {
    const show = await showBegunAt(media, query.from, dateNow(clock))
    if (!show) throw new Failure('NOT_FOUND')
    // Within the first and the last frame: those beside it don't come along.
    const [fromMs, toMs] = [Math.ceil(show.from), Math.floor(show.to) - 1]
    const { pieces } = await recordedBetween(media, fromMs, toMs, { heard: false })
    const cut = { fromMs, toMs, slices: await cutSlices(media, pieces, fromMs, toMs) }
    const speakers = show.speakers.join(', ')
    const title = [speakers, dateText(fromMs, config.timeZone)].filter(Boolean).join(' – ')
    const tag = textTag({ title, artist: speakers, date: stamp(fromMs) })
    const name = `show-${stamp(fromMs).replaceAll(':', '-')}.mp3`
    return sendCut(media, cut, { request, reply }, { tag, name })
  })
}

/** Sends a piece of the recording, or the range of it that was asked for; as a file with its tag before it. */
function sendCut(
  media: MediaStorage,
  cut: Cut,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  file?: { tag: Buffer; name: string },
): FastifyReply {
  const soundBytes = lengthOf(cut.slices)
  if (soundBytes === 0) throw new Failure('NOT_FOUND')
  const tag = file?.tag ?? Buffer.alloc(0)
  const size = tag.length + soundBytes
  const range = readRange(request.headers.range, size)
  reply.header('cache-control', 'no-store').header('accept-ranges', 'bytes').type('audio/mpeg')
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`)
    throw new Failure('RANGE_NOT_SATISFIABLE')
  }
  if (file) reply.header('content-disposition', `attachment; filename="${file.name}"`)
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  const { start, end } = range ?? { start: 0, end: size - 1 }
  reply.header('content-length', end - start + 1)
  const within = { start: Math.max(0, start - tag.length), end: end - tag.length }
  const bytes = behind(tag.subarray(start, end + 1), readCut(media, cut, within))
  return reply.send(Readable.from(request.method === 'HEAD' ? [] : bytes))
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
  if (tag.length > 0) yield tag
  yield* sound
}

/** `2026-11-23T14:05:00Z` */
const stamp = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '')
