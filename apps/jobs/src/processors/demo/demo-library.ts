import { createReadStream } from 'node:fs'
import type { Ports } from '@solstice/adapters'
import type { Mode, Track } from '@solstice/contracts'
import {
  ART_HEIGHT,
  ART_WIDTH,
  artists,
  COVER_SIZE,
  lyricsOf,
  type Piece,
  paint,
  paintCover,
  pieces,
  render,
  toPcm,
} from '@solstice/demo-music'
import { artistKey, libraryChanged, lyricsKey, scheduleNow } from '@solstice/station'
import { toJpeg, withMp3 } from './demo-encoding.ts'

type DemoPorts = Pick<
  Ports,
  'config' | 'log' | 'data' | 'media' | 'tags' | 'bus' | 'announcer' | 'clock' | 'jobs'
>

/** Errors that a retry cannot fix: no ffmpeg, no permission or no space to write. */
const HOPELESS = new Set(['ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ENOSPC'])

/**
 * Fills an empty library with synthesised pieces one by one, each playable as soon as it is added. Repeated after a crash, it
 * continues where it stopped: a piece with a record is complete. Without ffmpeg or a writable folder, the library stays as
 * it is.
 *
 * @throws when `stopping` is aborted.
 */
export async function makeDemoLibrary(
  ports: DemoPorts,
  stopping: AbortSignal,
  library: Piece[] = pieces,
): Promise<void> {
  const { config, data, clock, log } = ports
  const startedAtMs = performance.now()
  try {
    for (const piece of inOrderOfNeed(library, scheduleNow(config, clock).natural)) {
      stopping.throwIfAborted()
      const isNew = (await data.tracks.get(keyOf(piece))) === null
      if (isNew) {
        await makePiece(ports, piece, library.indexOf(piece) + 1, stopping)
        libraryChanged(ports)
        log.info({ track: keyOf(piece) }, 'demo piece added')
      }
      await makeArt(ports, piece.artist)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || !HOPELESS.has(code)) throw error
    log.warn(
      { err: error },
      'demo library could not be created; ffmpeg and a writable MEDIA_DIR are required',
    )
    return
  }
  const seconds = Math.round((performance.now() - startedAtMs) / 1000)
  log.info({ pieces: library.length, seconds }, 'demo library completed')
}

/** Puts a piece for the current mode first, so that there is something to play at once. */
function inOrderOfNeed(library: Piece[], natural: Mode): Piece[] {
  const first = library.find(({ mode }) => mode === natural)
  return first ? [first, ...library.filter((piece) => piece !== first)] : library
}

function filenameOf({ artist, title }: Piece): string {
  return `${artist} - ${title}.mp3`.normalize('NFC')
}

function keyOf(piece: Piece): string {
  return `${piece.mode}/${filenameOf(piece)}`
}

/** Writes the file, then the lyrics, then the record, which never points at anything missing. */
async function makePiece(
  { config, data, media, tags }: DemoPorts,
  piece: Piece,
  seed: number,
  stopping: AbortSignal,
): Promise<void> {
  const { title, artist, album, year, mode } = piece
  const key = keyOf(piece)
  const pcm = toPcm(await render(piece.score, piece.space, seed, stopping), seed)
  const cover = await coverOf(config.ffmpegPath, piece)
  let duration: number | null = null
  await withMp3(config.ffmpegPath, pcm, { title, artist, album, year, cover }, async (path) => {
    duration = (await tags.read(path)).duration
    await media.put(key, createReadStream(path))
  })
  await data.lyrics.insert({ key: lyricsKey(artist, title), ...lyricsOf(piece) })
  const track: Track = {
    id: key,
    title,
    artist,
    album,
    year,
    duration,
    mode,
    filename: filenameOf(piece),
    storageKey: key,
  }
  await data.tracks.insert(track)
}

async function coverOf(ffmpegPath: string, { artist, album }: Piece): Promise<Buffer> {
  const light = artists.find(({ name }) => name === artist)?.light ?? 'noon'
  return toJpeg(ffmpegPath, paintCover(album, light), COVER_SIZE, COVER_SIZE)
}

async function makeArt({ config, data, media }: DemoPorts, name: string): Promise<void> {
  const artist = artists.find((candidate) => candidate.name === name)
  const key = artistKey(name)
  if (!artist || (await data.artists.get(key))?.hasArt) return
  const artFileName = `${key}.jpg`
  const jpeg = await toJpeg(config.ffmpegPath, paint(artist), ART_WIDTH, ART_HEIGHT)
  await media.put(`arts/${artFileName}`, jpeg)
  await data.artists.put({ artist: key, hasArt: true, artFileName })
}
