import type { Track } from '@solstice/contracts'
import { forecastProgramme, lyricsKey } from '@solstice/station'
import { createAdminTokens } from '../../../apps/api/src/auth/admin-tokens.ts'
import { largeStation } from '../../../tests/harness/air/large-station.ts'
import { NOON } from '../../../tests/harness/air/programme.ts'
import type { Teardown } from '../../../tests/harness/processes/processes.ts'
import { type OpenApp, openApp } from '../../../tests/harness/stations/app.ts'

export const LIBRARY_TRACKS = 100_000
const ARTISTS = 4_000
const PLAYS = 50_000
const TURNS = 15

/** The cost of a page of a large library, in the process that also serves the stream. */
export interface LibraryFigures {
  name: string
  /** CPU of a request, ms. */
  cpuMs: number
  /** Longest time in which the event loop could do nothing else, ms. */
  blockedMs: number
}

/** Asks the API in this process for pages of a library of 100 000 tracks; medians, except for the first page of all. */
export async function measureLibrary(t: Teardown): Promise<{ floorMs: number; figures: LibraryFigures[] }> {
  const { app, ports } = await openApp(t, { ADMIN_LOGIN: 'boss', ADMIN_PASS: 'Correct horse 1' })
  const { data, config, clock } = ports
  const tracks = Array.from({ length: LIBRARY_TRACKS }, (_, i) => track(i))
  await fill(data, tracks)
  const names = tracks.map(({ artist, title }) => `${artist} ${title}`.toLowerCase())
  const floorMs = (await median(async () => void names.filter((name) => name.includes('song-7')))).cpuMs

  const about = { login: 'boss', role: 'super_admin', privileges: [], authorized: true } as const
  const token = createAdminTokens(app.jwt, config.jwtSecret, clock).issue({ adminId: 'super', ...about })
  const headers = { authorization: `Bearer ${token}` }
  const get = async (path: string) => {
    const answer = await app.inject({ method: 'GET', url: `/api/admin/${path}`, headers })
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.body}`)
  }
  let turn = 0
  const page = (query: string) => () => get(`songs/page?limit=100&${query}`)
  const after = (change: () => Promise<unknown>, query: string) => ({ before: change, work: page(query) })
  const edit = () => data.tracks.update({ id: tracks[turn++ * 37]!.id }, { year: 1950 })
  const play = () => data.history.insert({ ...played(tracks[turn++ * 41]!), playedAt: Date.now() + turn })
  const remove = () => data.tracks.delete({ id: tracks[turn++ * 53]!.id })
  const measured = () => data.measurements.put(measurement(tracks[turn++ * 43]!, -20))

  const air = largeStation(LIBRARY_TRACKS / 2)
  const forecast = (from: 'queue' | 'list') => async () => {
    const asked = { generation: { ...byGroups, GROUP_SECTIONS_ALGORYTM: true }, seed: turn++, from }
    await forecastProgramme({ data, config }, air, asked, NOON, 0)
  }

  const first = await timed(page('sort=artist'))
  const sorted = await timed(page('sort=title&order=desc'))
  const cases: [string, Case][] = [
    ['a page', { work: page('sort=artist') }],
    ['the last page', { work: page('sort=artist&offset=99900') }],
    ['a page of one mode', { work: page('mode=night&sort=plays&order=desc') }],
    ['the last page of one mode', { work: page('mode=night&offset=49900') }],
    ['a search', { work: () => page(`q=song-${10 + (turn++ % 80)}`)() }],
    ['the same search, further down', { work: () => page('q=song&offset=49900')() }],
    ['a page after a track was played', after(play, 'sort=lastPlayedAt&order=desc')],
    ['a page after a track was edited', after(edit, 'sort=artist')],
    ['a page after a track was measured', after(measured, 'sort=artist')],
    ['a page after a track was deleted', after(remove, 'sort=artist')],
    ['the next hour, by settings that are not saved', { work: forecast('queue') }],
    ['the next hour, with a playlist made anew', { work: forecast('list') }],
    ['the next hour, after a track was edited', { before: edit, work: forecast('list') }],
    ['the ids of 20 000 tracks', { work: () => get('songs/ids?limit=20000') }],
  ]
  const figures = [
    { name: 'the first page after a start', ...first },
    { name: 'the first page of another order', ...sorted },
  ]
  for (const [name, { before, work }] of cases) {
    await work()
    figures.push({ name, ...(await median(work, before)) })
  }
  return { floorMs, figures }
}

/** Eight groups of 400 artists by day. */
const byGroups = {
  GROUP_DEFS: Object.fromEntries(
    Array.from({ length: 8 }, (_, group) => [
      `Group ${group}`,
      Array.from({ length: 400 }, (_, i) => `Artist ${i * 8 + group}`),
    ]),
  ),
}

interface Case {
  before?: () => Promise<unknown>
  work: () => Promise<void>
}
type Cost = Omit<LibraryFigures, 'name'>

async function median(work: () => Promise<void>, before?: () => Promise<unknown>): Promise<Cost> {
  const costs: Cost[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    await before?.()
    costs.push(await timed(work))
  }
  const of = (what: keyof Cost) => costs.map((cost) => cost[what]).sort((a, b) => a - b)[TURNS >> 1]!
  return { cpuMs: of('cpuMs'), blockedMs: of('blockedMs') }
}

async function timed(work: () => Promise<void>): Promise<Cost> {
  let [isDone, lastMs, blockedMs] = [false, performance.now(), 0]
  const look = () => {
    const nowMs = performance.now()
    blockedMs = Math.max(blockedMs, nowMs - lastMs)
    lastMs = nowMs
    if (!isDone) setImmediate(look)
  }
  look()
  const begun = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(begun)
  look()
  isDone = true
  return { cpuMs: (user + system) / 1_000, blockedMs }
}

/** Fills a data store with tracks, and with half of their lyrics, their loudness, and plays. */
export async function fill(data: OpenApp['ports']['data'], tracks: Track[]): Promise<void> {
  await data.tracks.replaceAll({ records: tracks, serial: 0 })
  const lyrics = tracks.filter((_, i) => i % 2 === 0)
  await data.lyrics.replaceAll({
    records: lyrics.map(({ artist, title }) => ({
      key: lyricsKey(artist, title),
      ...{ synced: true, lines: [{ time: 0, text: title }] },
    })),
    serial: 0,
  })
  await data.measurements.replaceAll({ records: tracks.map((one) => measurement(one, -14)), serial: 0 })
  const records = Array.from({ length: PLAYS }, (_, i) => ({
    id: i + 1,
    ...played(tracks[(i * 7) % tracks.length]!),
    playedAt: 1_700_000_000_000 + i,
  }))
  await data.history.replaceAll({ records, serial: PLAYS })
  // As a store has read it at its start.
  for (const name of ['tracks', 'lyrics', 'measurements', 'history'] as const) await data[name].find()
}

/** One of any number of tracks of both modes. */
export function track(i: number): Track {
  const artist = `Artist ${(i * 7919) % ARTISTS}`
  const mode = i % 2 ? 'night' : 'day'
  const filename = `${artist} - Song ${i}.mp3`
  const id = `${mode}/${filename}`
  const about = { title: `Song-${i}`, album: `Album ${i % 9000}`, year: 1960 + (i % 60), duration: 180 }
  return { id, artist, ...about, mode, filename, storageKey: id }
}

const played = ({ id: trackId, title, artist, album, mode }: Track) => ({
  trackId,
  title,
  artist,
  album,
  mode,
})

const measurement = ({ id: trackId }: Track, lufs: number) => ({
  ...{ trackId, lufs, size: 1, modifiedMs: 1, peakDb: -1, isMono: false, startMs: 0, endMs: 179_000 },
})
