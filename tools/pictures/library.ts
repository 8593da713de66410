import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { artistKey, lyricsKey, sleep } from '@solstice/station'
import sharp from 'sharp'
import { withCover } from '../../tests/harness/audio/pictures.ts'
import { type Process, root, type Teardown } from '../../tests/harness/processes/processes.ts'
import { prepareStation, type Station } from '../../tests/harness/stations/station.ts'
import { type Album, albums, lines, pictured } from './songs.ts'

const run = promisify(execFile)
const folder = join(root, '.build/pictures')

/** Part of the demo library's pieces, which are a minute long, that a song repeats. */
const turnsOf = (title: string, i: number) => 2 + ((title.length + i) % 3)

/**
 * Makes the library of the pictures, measured and with its covers, once: `.build/pictures/library` has the folders `data` and
 * `media` of a station.
 */
export async function preparedLibrary(t: Teardown): Promise<string> {
  const demo = await once('demo', (path) => makeDemo(t, path))
  return once('library', (path) => makeLibrary(t, demo, path))
}

/** The folder of this name; made anew unless it was finished before. */
async function once(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const [path, unfinished] = [join(folder, name), join(folder, `${name}.new`)]
  if (await stat(path).catch(() => null)) return path
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  await make(unfinished)
  await rename(unfinished, path)
  return path
}

const folders = (path: string) => ({ DATA_DIR: join(path, 'data'), MEDIA_DIR: join(path, 'media') })

async function makeDemo(t: Teardown, path: string): Promise<void> {
  const station = await prepareStation(t, [], { ...folders(path), DEMO_LIBRARY: 'true' })
  const jobs = await station.startJobs()
  await jobs.printed(/demo library completed/)
  await jobs.end('SIGTERM')
}

async function makeLibrary(t: Teardown, demo: string, path: string): Promise<void> {
  const { DATA_DIR, MEDIA_DIR } = folders(path)
  for (const album of albums) await makeAlbum(demo, album, MEDIA_DIR)
  await cp(join(demo, 'media/arts'), join(MEDIA_DIR, 'arts'), { recursive: true })
  await mkdir(DATA_DIR, { recursive: true })
  const station = await prepareStation(t, [], { DATA_DIR, MEDIA_DIR, DEMO_LIBRARY: 'false' })
  await addRecords(station, demo, MEDIA_DIR)
  const jobs = await station.startJobs()
  await allMeasured(station, jobs)
  await jobs.end('SIGTERM')
}

async function makeAlbum(demo: string, album: Album, media: string): Promise<void> {
  for (const [mode, titles] of Object.entries(album.songs)) {
    const home = join(media, 'music', mode)
    await mkdir(home, { recursive: true })
    const names = await readdir(join(demo, 'media/music', mode))
    const own = names.filter((name) => name.startsWith(`${album.artist} - `))
    for (const [i, title] of titles.entries()) {
      const named = own.find((name) => name === `${album.artist} - ${title}.mp3`)
      const source = join(demo, 'media/music', mode, named ?? names[(album.hue + i) % names.length]!)
      const cover = await coverOf(source, album.hue)
      const target = join(home, `${album.artist} - ${title}.mp3`)
      const tags = { title, artist: album.artist, album: album.title, date: String(album.year) }
      const metadata = Object.entries(tags).flatMap(([name, value]) => ['-metadata', `${name}=${value}`])
      const sound = [
        '-ss',
        named ? '0' : String(2 * i),
        '-stream_loop',
        String(turnsOf(title, i)),
        '-i',
        source,
      ]
      await run('ffmpeg', ['-v', 'error', '-y', ...sound, '-map', '0:a', '-c', 'copy', ...metadata, target])
      await writeFile(target, withCover(await readFile(target), cover))
    }
  }
}

/** The picture of an MP3, its colours turned. */
async function coverOf(path: string, hue: number): Promise<Buffer> {
  const args = ['-v', 'error', '-i', path, '-map', '0:v', '-c', 'copy', '-f', 'mjpeg', 'pipe:1']
  const { stdout } = await run('ffmpeg', args, { encoding: 'buffer', maxBuffer: 16 * 1024 * 1024 })
  return hue === 0 ? stdout : sharp(stdout).modulate({ hue }).flop().jpeg({ quality: 88 }).toBuffer()
}

/** Pictures of artists, and lyrics for most songs: some in time with the music, some not. */
async function addRecords(station: Station, demo: string, media: string): Promise<void> {
  const data = await station.openData()
  const portraits = await readdir(join(demo, 'media/arts'))
  for (const name of portraits)
    await data.artists.put({ artist: name.replace(/\.jpg$/, ''), hasArt: true, artFileName: name })
  for (const [i, name] of pictured.entries()) {
    const hue = albums.find(({ artist }) => artist === name)!.hue
    const artFileName = `${artistKey(name)}.jpg`
    const picture = sharp(join(demo, 'media/arts', portraits[i % portraits.length]!))
      .modulate({ hue })
      .flop()
    await picture.jpeg({ quality: 88 }).toFile(join(media, 'arts', artFileName))
    await data.artists.put({ artist: artistKey(name), hasArt: true, artFileName })
  }
  for (const [i, { artist, title }] of (await data.tracks.find()).entries()) {
    const synced = i % 2 === 0
    const timed = lines.map((text, k) => ({ time: synced ? 11.2 + 4.6 * k : 0, text }))
    if (i % 5 < 4) await data.lyrics.put({ key: lyricsKey(artist, title), synced, lines: timed })
  }
  await data.close()
}

/** @throws when the jobs process ends before. */
async function allMeasured(station: Station, jobs: Process): Promise<void> {
  for (;;) {
    const data = await station.openData()
    const [tracks, measurements, covers] = await Promise.all([
      data.tracks.find(),
      data.measurements.find(),
      data.trackCovers.find(),
    ])
    await data.close()
    if (measurements.length === tracks.length && covers.length === tracks.length) return
    if (jobs.child.exitCode !== null) throw new Error(jobs.output)
    await sleep(1_000)
  }
}
