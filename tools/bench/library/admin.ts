import type { Track } from '@solstice/contracts'
import { createAdminTokens } from '../../../apps/api/src/auth/admin-tokens.ts'
import type { Teardown } from '../../../tests/harness/processes/processes.ts'
import { openApp } from '../../../tests/harness/stations/app.ts'

/** Response time of the API for a large library, compared with writing the same reply as JSON. */
export interface AdminFigures {
  path: string
  bytes: number
  /** First reply after a change, ms. */
  coldMs: number
  /** Median of the replies after it, ms. */
  warmMs: number
  /** Median of `JSON.stringify` of the reply, ms. */
  stringifyMs: number
}

const TRACKS = 10_000
const ARTISTS = 400
const TURNS = 31

const paths = [
  'songs?mode=day',
  'lyrics/songs',
  'stats',
  'settings',
  'song-groups/library?query=artist%20song-1',
]

/** Queries the API in this process about a library of 10 000 tracks in eight groups. */
export async function measureAdmin(t: Teardown): Promise<AdminFigures[]> {
  const { app, ports } = await openApp(t, { ADMIN_LOGIN: 'boss', ADMIN_PASS: 'Correct horse 1' })
  const { data, config } = ports
  await Promise.all(Array.from({ length: TRACKS }, (_, i) => data.tracks.insert(track(i))))
  const token = createAdminTokens(app.jwt, config.jwtSecret, { nowMs: Date.now }).issue({
    adminId: 'super',
    login: 'boss',
    role: 'super_admin',
    privileges: [],
    authorized: true,
  })
  const ask = async (path: string, payload?: object) => {
    const answer = await app.inject({
      method: payload ? 'POST' : 'GET',
      url: `/api/admin/${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    })
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.body}`)
    return answer
  }
  await ask('settings', { generation: { GROUP_DEFS: groups(8) } })

  const figures: AdminFigures[] = []
  for (const path of paths) {
    // A change invalidates every reply, so that the first one has nothing to build on.
    await data.tracks.update({ id: track(0).id }, { year: figures.length })
    const coldMs = await timed(() => ask(path))
    const answer = await ask(path)
    const body: unknown = answer.json()
    figures.push({
      path,
      bytes: answer.rawPayload.length,
      coldMs,
      warmMs: await median(() => ask(path)),
      stringifyMs: await median(async () => void JSON.stringify(body)),
    })
  }
  return figures
}

function track(i: number): Track {
  const artist = `Artist ${i % ARTISTS}`
  const mode = i % 2 ? 'night' : 'day'
  const filename = `${artist} - Song ${i}.mp3`
  const id = `${mode}/${filename}`
  return {
    id,
    artist,
    title: `Song-${i}`,
    album: `Album ${i % 900}`,
    year: 2000,
    duration: 180,
    mode,
    filename,
    storageKey: id,
  }
}

/** Each gives its share of the artists, except the last, which takes the rest. */
function groups(count: number): Record<string, string[]> {
  const artists = Array.from({ length: ARTISTS }, (_, i) => `Artist ${i}`)
  const share = (group: number) => artists.filter((_, i) => i % count === group)
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`Group ${i}`, i < count - 1 ? share(i) : []]),
  )
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let turn = 0; turn < TURNS; turn++) times.push(await timed(work))
  return times.sort((a, b) => a - b)[TURNS >> 1]!
}
