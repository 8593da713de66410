import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { audioTags, connect, readConfig } from '@solstice/adapters'
import { pieces, soundLength } from '@solstice/demo-music'
import { artistKey, lyricsKey } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { startRedis, temporaryFolder } from '../../../../../tests/harness/processes/processes.ts'
import { makeDemoLibrary } from './demo-library.ts'

const run = promisify(execFile)

/** The pieces cut to a few bars, with all their instruments. */
const shortPieces = pieces.map((piece) => {
  const { form, parts } = piece.score
  return {
    ...piece,
    score: { ...piece.score, form: [{ ...form[0]!, bars: 4, play: Object.keys(parts).join(' ') }] },
  }
})

t.test('an empty library is filled piece by piece, and nothing is repeated after a crash', async (t) => {
  const [folder, redis] = await Promise.all([temporaryFolder(t), startRedis(t)])
  const env = {
    JWT_SECRET: 'x',
    NIGHT_MODE: 'false',
    REDIS_URL: redis.url,
    DATA_DIR: join(folder, 'data'),
    MEDIA_DIR: join(folder, 'media'),
  }
  const ports = await connect(readConfig(env).config, pino({ level: 'silent' }))
  t.teardown(() => ports.close())
  const { data } = ports
  const heard: string[] = []
  const listener = ports.redis.duplicate()
  t.teardown(() => listener.disconnect())
  await listener.psubscribe('solstice-io*')
  listener.on('pmessageBuffer', (_pattern, _channel, message: Buffer) =>
    heard.push(message.toString('latin1')),
  )
  const stopping = new AbortController()

  const stopAfterFirst = setInterval(async () => {
    if ((await data.tracks.find()).length > 0) stopping.abort()
  }, 20)
  await t.rejects(makeDemoLibrary(ports, stopping.signal, shortPieces))
  clearInterval(stopAfterFirst)
  const [piece] = shortPieces
  const key = `day/${piece!.artist} - ${piece!.title}.mp3`
  const [track, ...others] = await data.tracks.find()
  t.equal(track?.id, key)
  t.same(others, [], 'it stopped where it was told to')
  t.ok(
    heard.some((message) => message.includes('library_updated')),
    'listeners were told',
  )
  const commands = JSON.stringify(await ports.redis.xrange('solstice:commands', '-', '+'))
  t.match(commands, 'library-changed', 'the air was told')

  const path = join(folder, 'media/music', key)
  const facts = await audioTags().read(path)
  t.match(facts, { title: piece!.title, artist: piece!.artist, album: piece!.album, year: piece!.year })
  t.ok(Math.abs(facts.duration! - soundLength(piece!.score, piece!.space)) < 0.1)
  t.equal(track?.duration, facts.duration)
  const { stderr } = await run('ffmpeg', [
    '-nostdin',
    '-hide_banner',
    '-i',
    path,
    '-af',
    'ebur128',
    '-f',
    'null',
    '-',
  ])
  const measured = Number(/I:\s+(-[\d.]+) LUFS\s+Threshold/.exec(stderr)?.[1])
  t.ok(Math.abs(measured + 16) < 1, `ffmpeg measures ${measured} LUFS`)
  const lyrics = await data.lyrics.get(lyricsKey(piece!.artist, piece!.title))
  t.equal(lyrics?.lines.length, piece!.words.length)
  const art = await data.artists.get(artistKey(piece!.artist))
  t.match(art, { hasArt: true, artFileName: 'amber tramway.jpg' })

  // All pieces but one exist already.
  const missing = pieces[1]!
  for (const { title, artist, album, year, mode } of pieces) {
    if (title === missing.title) continue
    const filename = `${artist} - ${title}.mp3`
    const id = `${mode}/${filename}`
    await data.tracks.insert({ id, title, artist, album, year, duration: 60, mode, filename, storageKey: id })
  }
  const before = (await stat(path)).mtimeMs
  await makeDemoLibrary(ports, new AbortController().signal, shortPieces)
  t.equal((await data.tracks.find()).length, 12)
  t.equal((await stat(path)).mtimeMs, before, 'what was there is not made again')
  t.same(await readdir(join(folder, 'media/music/night')), [`${missing.artist} - ${missing.title}.mp3`])
})

t.test('without ffmpeg the library stays empty, and the job succeeds', async (t) => {
  const [folder, redis] = await Promise.all([temporaryFolder(t), startRedis(t)])
  const env = {
    JWT_SECRET: 'x',
    REDIS_URL: redis.url,
    DATA_DIR: join(folder, 'data'),
    MEDIA_DIR: join(folder, 'media'),
    FFMPEG_PATH: join(folder, 'no-such-program'),
  }
  const ports = await connect(readConfig(env).config, pino({ level: 'silent' }))
  t.teardown(() => ports.close())
  await makeDemoLibrary(ports, new AbortController().signal, shortPieces)
  t.same(await ports.data.tracks.find(), [])
})
