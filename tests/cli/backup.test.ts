import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, gzipSync } from 'node:zlib'
import { createSessions } from '@solstice/station'
import t from 'tap'
import { Header } from 'tar'
import { type FileToPack, pack, unpack } from '../../packages/adapters/src/backup/archive.ts'
import { readBackup } from '../../packages/adapters/src/backup/read-backup.ts'
import { writeBackup } from '../../packages/adapters/src/backup/write-backup.ts'
import { track } from '../suites/records.ts'
import {
  digests,
  ended,
  fill,
  freshPlace,
  keys,
  log,
  never,
  type Place,
  putFiles,
  redis,
  SECRET,
  tree,
  withData,
  withMedia,
} from './places.ts'

/** Drops the fields that a restore adds. */
const withoutCuts = async (place: Place) => ({ ...(await digests(place)), sessionCuts: null })

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
