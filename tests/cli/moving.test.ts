import { existsSync } from 'node:fs'
import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reachRedis } from '@solstice/adapters'
import { collectionNames, contentsOf, copyData, copyMedia, listMedia } from '@solstice/station'
import t from 'tap'
import { makeTone } from '../harness/audio/audio.ts'
import { startPostgres } from '../harness/servers/postgres.ts'
import { startS3 } from '../harness/servers/s3.ts'
import { track } from '../suites/records.ts'
import {
  digests,
  ended,
  fill,
  freshPlace,
  keys,
  never,
  putFiles,
  redis,
  SECRET,
  station,
  tree,
  withData,
  withMedia,
} from './places.ts'

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
