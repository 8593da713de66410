import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { openData, openMedia, readConfig } from '@solstice/adapters'
import { collectionNames, contentsOf, type DataStore, digestOf, UNKNOWN_ORDER } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import {
  type Process,
  start,
  startRedis,
  type Teardown,
  temporaryFolder,
} from '../harness/processes/processes.ts'
import { programOf } from '../harness/processes/programs.ts'
import { track } from '../suites/records.ts'

export const SECRET = 'known-to-nobody'
export const log = pino({ level: 'silent' })
export const program = await programOf('scripts/station.ts')
export const never = new AbortController().signal
export const redis = await startRedis(t)

/** Keys that a path, URL or shell could misread. */
export const keys = [
  'day/Ти & я + 100%.mp3',
  'day/%2e%2e + ?#.mp3',
  'night/a b  c.mp3',
  'jingles/day/дзвін.mp3',
  'phrases/night/x+y.mp3',
  'background/day/bed & breakfast.mp3',
  'arts/океан ельзи.jpg',
  '.staged/day/waiting.mp3',
  '.staged/jingles/night/waiting too.mp3',
]

export interface Place {
  folder: string
  env: Record<string, string>
}

/** Folders of a station that was never started. */
export async function freshPlace(t: Teardown, more: Record<string, string> = {}): Promise<Place> {
  const folder = await temporaryFolder(t)
  const paths = { DATA_DIR: join(folder, 'data'), MEDIA_DIR: join(folder, 'media') }
  return { folder, env: { ...paths, REDIS_URL: redis.url, JWT_SECRET: '', ...more } }
}

export const station = (t: Teardown, { env }: Place, ...args: string[]): Process =>
  start(t, process.execPath, [program, ...args], env)

/** Output of a command, which must exit with this code. */
export async function ended(t: Test, code: number, place: Place, ...args: string[]): Promise<string> {
  const command = station(t, place, ...args)
  t.equal(await command.exited, code, `${args.join(' ')}\n${command.output}`)
  t.notMatch(command.output, SECRET, 'no secret is printed')
  if (code !== 0) t.notMatch(command.output, /\n\s+at /, 'no stack is printed')
  return command.output
}

export async function withData<T>({ env }: Place, act: (data: DataStore) => Promise<T>): Promise<T> {
  const data = await openData(readConfig({ ...env, JWT_SECRET: 'x' }).config, log)
  return act(data).finally(() => data.close())
}

export async function withMedia<T>(
  { env }: Place,
  act: (media: Awaited<ReturnType<typeof openMedia>>) => Promise<T>,
) {
  const media = await openMedia(readConfig({ ...env, JWT_SECRET: 'x' }).config, log)
  return act(media).finally(() => media.close())
}

/** Records in each collection with details that are easily lost: order, numbers, odd texts, password hashes. */
export async function fill(place: Place): Promise<void> {
  await withData(place, async (data) => {
    for (const [n, key] of keys.filter((key) => /^(day|night)/.test(key)).entries()) {
      const [mode, filename] = key.split('/') as ['day', string]
      await data.tracks.put(
        track(key, { mode, filename, title: `"${n}" \u0000\\ \ud800 🌙`, duration: 1 / 3 }),
      )
    }
    await data.artists.put({ artist: 'океан ельзи', hasArt: true, artFileName: 'океан ельзи.jpg' })
    for (let n = 1; n <= 5; n++)
      await data.history.insert({
        trackId: `${n}`,
        title: '',
        artist: '',
        album: '',
        mode: 'day',
        playedAt: n,
      })
    await data.history.delete({ id: 5 })
    await data.history.delete({ id: 2 })
    const times = { createdAt: 1, updatedAt: 1, temporarySinceMs: 1 }
    const login = {
      login: 'Оксана',
      loginKey: 'оксана',
      passwordHash: '$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA',
    }
    await data.admins.put({ adminId: '1', ...login, privileges: [], authorized: true, ...times })
    const entry = { donationId: 'd1', note: 'matching_provider_1 r1' }
    await data.ledger.insert({
      ...entry,
      event: 'created',
      onceKey: 'a',
      atMs: Date.UTC(2026, 0, 1, 22),
      note: '',
    })
    await data.ledger.insert({ ...entry, event: 'claimed', onceKey: 'b', atMs: Date.UTC(2026, 6, 1, 22) })
    const unknown = { donationId: UNKNOWN_ORDER, event: 'refused', onceKey: 'c', atMs: 0 } as const
    await data.ledger.insert({ ...unknown, note: 'names_no_order: matching_provider_2 r2, 5.00 USD' })
  })
}

export async function putFiles(place: Place): Promise<void> {
  await withMedia(place, async (media) => {
    for (const [n, key] of keys.entries()) await media.put(key, Buffer.alloc(1000 + n, key))
  })
}

export const digests = (place: Place) =>
  withData(place, async (data) =>
    Object.fromEntries(
      await Promise.all(
        collectionNames.map(async (name) => [name, digestOf(await contentsOf(data, name))] as const),
      ),
    ),
  )

/** All files below a folder, byte by byte. */
export async function tree(folder: string): Promise<Record<string, string>> {
  const entries = existsSync(folder) ? await readdir(folder, { recursive: true, withFileTypes: true }) : []
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const read = paths
    .sort()
    .map(async (path) => [relative(folder, path), (await readFile(path)).toString('latin1')])
  return Object.fromEntries(await Promise.all(read))
}
