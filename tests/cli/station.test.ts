import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, gzipSync } from 'node:zlib'
import { openData, openMedia, reachRedis, readConfig, readVitals } from '@solstice/adapters'
import {
  collectionNames,
  contentsOf,
  copyData,
  copyMedia,
  createSessions,
  type DataStore,
  digestOf,
  listMedia,
  UNKNOWN_ORDER,
} from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { Header } from 'tar'
import { type FileToPack, pack, unpack } from '../../packages/adapters/src/backup/archive.ts'
import { readBackup } from '../../packages/adapters/src/backup/read-backup.ts'
import { writeBackup } from '../../packages/adapters/src/backup/write-backup.ts'
import { makeTone } from '../harness/audio/audio.ts'
import {
  type Process,
  start,
  startRedis,
  type Teardown,
  temporaryFolder,
} from '../harness/processes/processes.ts'
import { programOf } from '../harness/processes/programs.ts'
import { startPostgres } from '../harness/servers/postgres.ts'
import { startS3 } from '../harness/servers/s3.ts'
import { until } from '../harness/until.ts'
import { track } from '../suites/data-store.ts'

const SECRET = 'known-to-nobody'
const log = pino({ level: 'silent' })
const program = await programOf('scripts/station.ts')
const never = new AbortController().signal
const redis = await startRedis(t)

/** Keys that a path, URL or shell could misread. */
const keys = [
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

interface Place {
  folder: string
  env: Record<string, string>
}

/** Folders of a station that was never started. */
async function freshPlace(t: Teardown, more: Record<string, string> = {}): Promise<Place> {
  const folder = await temporaryFolder(t)
  const paths = { DATA_DIR: join(folder, 'data'), MEDIA_DIR: join(folder, 'media') }
  return { folder, env: { ...paths, REDIS_URL: redis.url, JWT_SECRET: '', ...more } }
}

const station = (t: Teardown, { env }: Place, ...args: string[]): Process =>
  start(t, process.execPath, [program, ...args], env)

/** Output of a command, which must exit with this code. */
async function ended(t: Test, code: number, place: Place, ...args: string[]): Promise<string> {
  const command = station(t, place, ...args)
  t.equal(await command.exited, code, `${args.join(' ')}\n${command.output}`)
  t.notMatch(command.output, SECRET, 'no secret is printed')
  if (code !== 0) t.notMatch(command.output, /\n\s+at /, 'no stack is printed')
  return command.output
}

async function withData<T>({ env }: Place, act: (data: DataStore) => Promise<T>): Promise<T> {
  const data = await openData(readConfig({ ...env, JWT_SECRET: 'x' }).config, log)
  return act(data).finally(() => data.close())
}

async function withMedia<T>(
  { env }: Place,
  act: (media: Awaited<ReturnType<typeof openMedia>>) => Promise<T>,
) {
  const media = await openMedia(readConfig({ ...env, JWT_SECRET: 'x' }).config, log)
  return act(media).finally(() => media.close())
}

/** Records in each collection with details that are easily lost: order, numbers, odd texts, password hashes. */
async function fill(place: Place): Promise<void> {
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

async function putFiles(place: Place): Promise<void> {
  await withMedia(place, async (media) => {
    for (const [n, key] of keys.entries()) await media.put(key, Buffer.alloc(1000 + n, key))
  })
}

const digests = (place: Place) =>
  withData(place, async (data) =>
    Object.fromEntries(
      await Promise.all(
        collectionNames.map(async (name) => [name, digestOf(await contentsOf(data, name))] as const),
      ),
    ),
  )

/** Drops the fields that a restore adds. */
const withoutCuts = async (place: Place) => ({ ...(await digests(place)), sessionCuts: null })

/** All files below a folder, byte by byte. */
async function tree(folder: string): Promise<Record<string, string>> {
  const entries = existsSync(folder) ? await readdir(folder, { recursive: true, withFileTypes: true }) : []
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const read = paths
    .sort()
    .map(async (path) => [relative(folder, path), (await readFile(path)).toString('latin1')])
  return Object.fromEntries(await Promise.all(read))
}

t.test('records move from files to PostgreSQL and back unchanged', async (t) => {
  const server = await startPostgres(t)
  const address = server.url.replace('solstice@', `solstice:${SECRET}@`)
  const [place, other] = [await freshPlace(t), await freshPlace(t)]
  const to = ['data', '--from', 'json', '--to', 'sql', '--database-url', address]
  await fill(place)
  const [before, source] = [await digests(place), await tree(place.env.DATA_DIR!)]

  const relations = () => server.query(`select 1 from pg_tables where schemaname = 'public'`)
  t.match(await ended(t, 0, place, ...to, '--dry-run'), /^tracks +3 +0$[\s\S]*nothing was changed/m)
  t.same(await relations(), [], 'a dry run makes no table')
  const asked = (await reachRedis(redis.url))!
  t.teardown(() => asked.disconnect())
  const renew = () => asked.mset({ 'solstice:lease': 'a worker', 'solstice:alive': Date.now() })
  await renew()
  const renewing = setInterval(renew, 500)
  t.match(await ended(t, 1, place, ...to), /the station is running/)
  clearInterval(renewing)
  await asked.del('solstice:lease')
  const cut = { ...place, env: { ...place.env, REDIS_URL: 'redis://127.0.0.1:1' } }
  t.same(await relations(), [])

  t.match(await ended(t, 0, cut, ...to, '--force'), /copied and compared/)
  const sql = { ...place, env: { ...place.env, DATA_PROVIDER: 'sql', DATABASE_URL: address } }
  t.same(await digests(sql), before)
  t.same(await tree(place.env.DATA_DIR!), source, 'nothing of the source is changed')
  t.match(await ended(t, 1, place, ...to), /--replace/)

  const envFile = join(place.folder, 'there.env')
  await writeFile(envFile, `DATABASE_URL=${address}\n`)
  const back = ['data', '--from', 'sql', '--to', 'json', '--env-file', envFile]
  await ended(t, 0, other, ...back)
  t.same(await digests(other), before, 'there and back it is the same')
  t.equal(
    (
      await withData(other, (data) =>
        data.history.insert({ trackId: '9', title: '', artist: '', album: '', mode: 'day', playedAt: 9 }),
      )
    )?.id,
    6,
    'numbers that were given are not given again',
  )
  // The station's own environment is not mistaken for an argument.
  const careless = { ...other, env: { ...other.env, DATABASE_URL: address } }
  t.match(await ended(t, 2, careless, 'data', '--from', 'sql', '--to', 'json'), /DATABASE_URL is required/)

  await t.test('an interrupted copy leaves an empty store empty', async (t) => {
    const empty = await freshPlace(t)
    await withData(empty, async (data) => {
      const from = async (name: (typeof collectionNames)[number]) => {
        if (name === 'admins') throw new Error('gone')
        return withData(other, (source) => contentsOf(source, name))
      }
      await t.rejects(copyData(from, data, never), /gone/)
      const isEmpty = async () => {
        for (const name of collectionNames) t.same(await contentsOf(data, name), { records: [], serial: 0 })
      }
      await isEmpty()
      const breakOff = new AbortController()
      const copied: string[] = []
      const copying = withData(other, (source) =>
        copyData(
          (name) => contentsOf(source, name),
          data,
          breakOff.signal,
          (name) => {
            copied.push(name)
            if (copied.length === 3) breakOff.abort()
          },
        ),
      )
      await t.rejects(copying, { name: 'AbortError' }, 'also when it is interrupted')
      t.equal(copied.length, 3)
      await isEmpty()
    })
  })
})

t.test('files move to a bucket and back, byte for byte, even with interruptions', async (t) => {
  const s3 = await startS3(t)
  const bucket = await s3.env('moved')
  const place = await freshPlace(t)
  await putFiles(place)
  await fill(place)
  const before = await tree(place.env.MEDIA_DIR!)
  const envFile = join(place.folder, 'bucket.env')
  await writeFile(
    envFile,
    Object.entries(bucket)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const up = ['media', '--from', 'local', '--to', 'cloud', '--env-file', envFile, '--parallel', '1']
  const puts = () => s3.requests.filter((request) => request.startsWith('PUT')).length
  const stored = () => withMedia({ ...place, env: { ...place.env, ...bucket } }, listMedia)

  t.match(await ended(t, 0, place, ...up, '--dry-run'), /9 files .* to be copied, 0 there already/)
  t.equal(puts(), 0, 'a dry run writes nothing')

  // The command is killed during the fourth file, and interrupted during the seventh.
  for (const [at, signal] of [
    [4, 'SIGKILL'],
    [7, 'SIGINT'],
  ] as const) {
    let seen = 0
    const held = new Promise<void>((resolve) => {
      s3.fault = ({ method }) => {
        if (method !== 'PUT' || ++seen < (at === 4 ? 4 : 3)) return false
        resolve()
        return true
      }
    })
    const broken = station(t, place, ...up)
    await held
    await broken.end(signal)
    s3.fault = null
    t.equal((await stored()).length, at - 1 - (at === 7 ? 1 : 0))
    if (signal === 'SIGINT') t.match([await broken.exited, broken.output], [1, /interrupted/])
  }
  s3.requests.length = 0
  t.match(
    await ended(t, 0, place, ...up),
    /4 files .* copied, 5 there already[\s\S]*4 records: every file is there/,
  )
  t.equal(puts(), 4, 'only what was not there is copied')

  // The same size and older than the copy, but different content.
  const changed = join(place.env.MEDIA_DIR!, 'music/night/a b  c.mp3')
  const cloud = { ...place, env: { ...place.env, ...bucket } }
  const lost = { ...place, env: { ...cloud.env, S3_BUCKET: 'nowhere', REDIS_URL: 'redis://127.0.0.1:1' } }
  t.match(await ended(t, 1, lost, 'status'), /NoSuchBucket[\s\S]*^air +unknown$[\s\S]*away: media, redis/m)
  const run = { parallel: 4, isDryRun: false, signal: never, onFile() {} }
  const again = () => withMedia(place, (from) => withMedia(cloud, (to) => copyMedia(from, to, keys, run)))
  const original = await readFile(changed)
  for (const content of [Buffer.alloc(1002, 'other'), original]) {
    await writeFile(changed, content)
    await utimes(changed, 1, 1)
    t.match(await again(), { copied: 1, kept: 8, failed: [] })
  }

  const other = await freshPlace(t)
  await fill(other)
  await withData(other, (data) => data.tracks.put(track('day/gone.mp3')))
  const args = Object.entries(bucket).flatMap(([name, value]) =>
    name.startsWith('S3') ? [`--${name.toLowerCase().replaceAll('_', '-')}`, value] : [],
  )
  const down = ['media', '--from', 'cloud', '--to', 'local', ...args]
  t.match(await ended(t, 1, other, ...down), /not there: day\/gone\.mp3/)
  t.same(await tree(other.env.MEDIA_DIR!), before, 'there and back it is the same')
})

t.test('files in a bucket without a record get one, as at the start of a local station', async (t) => {
  const s3 = await startS3(t)
  const place = await freshPlace(t, await s3.env('scanned'))
  const tone = join(place.folder, 'tone.mp3')
  await makeTone(tone, { hz: 440, seconds: 1, title: 'Сонце', artist: 'Океан Ельзи' })
  await withMedia(place, async (media) => {
    for (const key of ['day/+ 1.mp3', 'night/2.mp3', 'jingles/day/bell.mp3', '.staged/day/waiting.mp3'])
      await media.put(key, await readFile(tone))
    await media.put('arts/океан ельзи.jpg', Buffer.from('image'))
  })
  t.match(
    await ended(t, 0, place, 'scan', '--dry-run'),
    /\+ day\/\+ 1\.mp3 \(Океан Ельзи – Сонце\)[\s\S]*nothing was changed/,
  )
  t.notOk(existsSync(place.env.DATA_DIR!), 'a dry run changes nothing')
  t.match(
    await ended(t, 0, place, 'scan'),
    /tracks: 2 records added[\s\S]*clips: 1 record added[\s\S]*arts: 1 record added/,
  )
  await withData(place, async (data) => {
    t.match(await data.tracks.get('day/+ 1.mp3'), { title: 'Сонце', artist: 'Океан Ельзи', mode: 'day' })
    t.match(await data.clips.find(), [{ family: 'jingles', filename: 'bell.mp3', used: true }])
    t.match(await data.artists.find(), [{ artist: 'океан ельзи', hasArt: true }])
  })
})

t.test('a backup is restored to an empty station', async (t) => {
  const [place, other] = [await freshPlace(t), await freshPlace(t)]
  const path = join(place.folder, 'backup.tar.gz')
  await fill(place)
  await putFiles(place)
  await mkdir(join(place.env.DATA_DIR!, 'deliveries'))
  const files = await tree(place.env.MEDIA_DIR!)
  t.match(await ended(t, 0, place, 'backup', path, '--media'), /records, 9 files/)
  t.equal((await stat(path)).mode & 0o777, 0o600, 'only its owner reads the hashes of passwords')
  t.match(await ended(t, 1, place, 'restore', path), /there is something in .* --replace/)

  const isOver = (begunAtMs: number) =>
    withData(other, (data) => {
      const deps = {
        data,
        announcer: { accountChanged() {} },
        clock: { nowMs: Date.now, aheadMs: () => 0 },
        log,
      }
      const session = { id: 'ended since', adminId: 'super', begunAtMs, expiresAtMs: begunAtMs + 1e7 }
      return createSessions(deps).isOver(session)
    })
  const begunAtMs = Date.now()
  await ended(t, 0, other, 'restore', path)
  t.same(
    [await isOver(begunAtMs), await isOver(begunAtMs + 3.6e6)],
    [true, false],
    'earlier sessions have ended',
  )
  await withData(other, (data) => data.sessionCuts.delete(() => true))
  t.match(await ended(t, 0, other, 'end-sessions'), /log in again/)
  t.equal(await isOver(begunAtMs), true)
  t.same(await withoutCuts(other), await withoutCuts(place))
  t.same(await tree(other.env.MEDIA_DIR!), files)
  await withData(other, (data) => data.tracks.put(track('day/later.mp3')))
  await ended(t, 0, other, 'restore', path, '--replace')
  t.same(await withoutCuts(other), await withoutCuts(place), 'with --replace nothing else is left')

  const running = join(place.folder, 'running.tar.gz')
  const manifest = await withData(place, (data) =>
    writeBackup(running, { data, media: null, isRunning: true }, never),
  )
  t.match(manifest, { consistency: 'each', media: null })
  const twice = withData(place, (data) => writeBackup(path, { data, media: null, isRunning: false }, never))
  await t.rejects(twice, /exists already/)
  const long = { records: Array(9).fill({ key: 'x'.repeat(60 * 1024 * 1024) }), serial: 0 }
  const station = { media: null, isRunning: false, contents: async () => long }
  const large = withData(place, (data) =>
    writeBackup(join(place.folder, 'broken.tar.gz'), { data, ...station }, never),
  )
  await t.rejects(large, { message: /no restore takes/ })
  const refusing = {
    ...place,
    env: { ...place.env, REDIS_URL: redis.url.replace('//', `//nobody:${SECRET}@`) },
  }
  t.match(await ended(t, 1, refusing, 'backup', running), /REDIS_URL.*WRONGPASS/, 'which may run')
  const breakOff = new AbortController()
  const broken = withData(place, (data) =>
    writeBackup(
      join(place.folder, 'broken.tar.gz'),
      { data, media: null, isRunning: false },
      breakOff.signal,
      () => breakOff.abort(),
    ),
  )
  await t.rejects(broken)
  t.same(
    (await readdir(place.folder)).filter((name) => name.includes('broken')),
    [],
    'nothing is left of one that broke off',
  )
})

t.test('an incomplete archive is refused before anything is touched', async (t) => {
  const place = await freshPlace(t)
  await fill(place)
  await putFiles(place)
  const path = join(place.folder, 'good.tar.gz')
  await withMedia(place, (media) =>
    withData(place, (data) => writeBackup(path, { data, media, isRunning: false }, never)),
  )
  const good: { path: string; content: Buffer }[] = []
  for await (const file of unpack(Readable.from([await readFile(path)]).pipe(createGunzip()))) {
    const pieces: Buffer[] = []
    for await (const piece of file.content) pieces.push(Buffer.from(piece))
    good.push({ path: file.path, content: Buffer.concat(pieces) })
  }
  t.equal(
    (await readBackup(path, never)).mediaBytes,
    keys.reduce((sum, _, n) => sum + 1000 + n, 0),
  )

  const files = async function* (list: typeof good): AsyncGenerator<FileToPack> {
    for (const { path, content } of list)
      yield { path, size: content.length, content: Readable.from([content]) }
  }
  const refused = async (what: string, why: RegExp, list: typeof good | Buffer) => {
    const bad = join(place.folder, 'bad.tar.gz')
    if (Buffer.isBuffer(list)) await writeFile(bad, list)
    else await pipeline(pack(files(list), new Date()), createGzip({ level: 1 }), createWriteStream(bad))
    await t.rejects(readBackup(bad, never), { message: why }, what)
  }
  const changed = (name: RegExp, change: (text: string) => string) =>
    good.map((file) =>
      name.test(file.path) ? { ...file, content: Buffer.from(change(file.content.toString())) } : file,
    )
  const added = (path: string) => [{ path, content: Buffer.from('x') }, ...good]
  for (const way of [
    '../outside.mp3',
    '/etc/outside',
    'media/../outside.mp3',
    'media/day/../../outside.mp3',
    'media/day/..',
    'media/day/.hidden.mp3',
    'media/day/a\\b.mp3',
    'media/secrets/a.mp3',
    'media/day/deep/a.mp3',
    'collections/unknown.ndjson',
    'collections/../tracks.ndjson',
  ])
    await refused(way, /a file that no backup has/, added(way))
  for (const name of ['media/day/more.mp3', 'media/day/%2e%2e + ?#.mp3'])
    await refused(name, /not what the manifest says|twice/, added(name))
  await refused(
    'a file less',
    /not what the manifest says/,
    good.filter(({ path }) => !path.includes('дзвін')),
  )
  await refused(
    'a record less',
    /history is not what/,
    changed(/history/, (text) => text.slice(text.indexOf('\n') + 1)),
  )
  await refused(
    'a record twice',
    /another record stands/,
    changed(/history/, (text) => text + text),
  )
  await refused(
    'another password',
    /admins is not what/,
    changed(/admins/, (text) => text.replace('aGFzaA', 'aGFzaB')),
  )
  await refused(
    'no record',
    /cannot be used/,
    changed(/admins/, () => 'null\n'),
  )
  await refused(
    'another sound',
    /not what the manifest says/,
    changed(/waiting too/, (text) => text.replace('s', 'x')),
  )
  await refused(
    'a later format',
    /format is version 2/,
    changed(/manifest/, (text) => text.replace('"version": 1', '"version": 2')),
  )
  await refused('no manifest', /no manifest/, good.slice(0, -1))
  await refused('more after the manifest', /after its manifest/, [...good, good[0]!])

  const whole = await readFile(path)
  await refused('broken off', /broken off/, whole.subarray(0, whole.length - 2_000))
  await refused('no archive', /broken off or damaged/, Buffer.from('not an archive'))
  const block = (about: ConstructorParameters<typeof Header>[0]) => {
    const header = new Header(about)
    const bytes = Buffer.alloc(1536)
    header.encode(bytes)
    return gzipSync(bytes)
  }
  const link = { path: 'media/day/a.mp3', linkpath: '/etc/passwd', size: 0 }
  await refused('a link', /no file/, block({ ...link, type: 'SymbolicLink' }))
  await refused('a second name', /no file/, block({ ...link, type: 'Link' }))
  await refused('a folder', /no file/, block({ path: 'media/day/', size: 0, type: 'Directory' }))
  await refused(
    'too large',
    /too large/,
    block({ path: 'collections/tracks.ndjson', size: 2 ** 32, type: 'File' }),
  )
  await refused('far too large', /too large/, block({ path: 'media/day/a.mp3', size: 2 ** 40, type: 'File' }))

  const empty = await freshPlace(t)
  t.match(await ended(t, 1, empty, 'restore', join(place.folder, 'bad.tar.gz')), /too large/)
  t.same(await readdir(empty.folder), [], 'nothing is touched')
})

t.test('status, ledger, hashes and help', async (t) => {
  const place = await freshPlace(t, { TIME_ZONE: 'Europe/Kyiv' })
  await fill(place)
  const ledger = await ended(t, 0, place, 'ledger', 'd1')
  t.match(
    ledger,
    /2026-01-02 00:00:00 \+02:00 {2}created[\s\S]*2026-07-02 01:00:00 \+03:00 {2}claimed +matching_provider_1 r1/,
  )
  t.match(await ended(t, 0, place, 'ledger', 'unknown'), /names_no_order: matching_provider_2 r2, 5.00 USD/)
  const mistaken = { ...place, env: { ...place.env, DATA_PROVIDER: 'postgres' } }
  t.match(
    await ended(t, 1, mistaken, 'ledger', 'nobody'),
    /DATA_PROVIDER: "postgres" is not one of[\s\S]*there is no donation nobody/,
  )

  await mkdir(dirname(join(place.env.MEDIA_DIR!, 'music/day/x.mp3')), { recursive: true })
  await writeFile(join(place.env.MEDIA_DIR!, 'music/day/x.mp3'), '')
  const secret = { JWT_SECRET: 'only for this test', LYRICS_API_URL: '', HOST: '127.0.0.1', PORT: '0' }
  const api = start(t, process.execPath, [await programOf('apps/api/src/main.ts')], {
    ...place.env,
    ...secret,
  })
  await api.printed(/Server listening/)
  const asked = (await reachRedis(redis.url))!
  t.teardown(() => asked.disconnect())
  await until('the replica is known', async () => (await readVitals(asked)).replicas > 0)
  const printed = await ended(t, 1, place, 'status', '--json')
  const status = JSON.parse(printed.slice(0, printed.lastIndexOf('}') + 1))
  t.match(status, {
    away: ['air', 'jobs'],
    data: { records: { tracks: 3, history: 3, admins: 1 } },
    media: { files: 1, filesWithoutRecord: ['day/x.mp3'] },
    redis: { answers: true },
    processes: { replicas: 1, workersOnAir: 0, workersStandingBy: 0, jobs: 0 },
  })
  t.equal(status.media.recordsWithoutFile.length, 4)
  await api.end()

  const hashing = start(t, 'sh', [
    '-c',
    `echo '${SECRET}' | "$0" "$1" hash-password`,
    process.execPath,
    program,
  ])
  t.equal(await hashing.exited, 0, hashing.output)
  t.match(hashing.output, /^\$argon2id\$v=19\$\S+\n$/)
  t.match(await ended(t, 0, place, 'restore', '--help'), /restore <file\.tar\.gz>/)
  t.match(await ended(t, 2, place, 'scan', '--nonsense'), /--nonsense/)
})
