import type { Mode, Track } from '@solstice/contracts'
import type { Audit } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import { artistKey } from '../core/keys.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import type { Actor } from '../ports/accounts.ts'
import type { ArtistRecord, DataStore } from '../ports/data/data-store.ts'
import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'
import { readJpegSize } from './jpeg.ts'

const FOLDER = 'arts'
const MAX_FILE_NAME_BYTES = 255
/** Decoded, an image takes four bytes per pixel on every listener's phone. */
const MAX_MEGAPIXELS = 50

/** The key of an artist's image, whatever the case and spaces of the name; null when there is none. */
export async function findArt(data: DataStore, artist: string): Promise<MediaKey | null> {
  const record = await data.artists.get(artistKey(artist))
  return record?.hasArt ? `${FOLDER}/${record.artFileName}` : null
}

/** The colour that an artist's image is remembered by, `#rrggbb`; null while it is not known. */
export async function findArtColor(data: Pick<DataStore, 'artists'>, artist: string): Promise<string | null> {
  return (await data.artists.get(artistKey(artist)))?.color || null
}

/** An artist as admins see it. */
export interface ArtistArt extends ArtistRecord {
  /** As most tags of the library spell it; the key when no track has it. */
  name: string
  /** The modes in which the artist has tracks. */
  modes: Mode[]
}

/** All artists with a record, by name; the same array while nothing changed. */
export async function listArts(data: Pick<DataStore, 'artists' | 'tracks'>): Promise<readonly ArtistArt[]> {
  return joinModes(await data.artists.find(), await data.tracks.find())
}

const joinModes = memoizeLast(
  (records: readonly Readonly<ArtistRecord>[], tracks: readonly Readonly<Track>[]): readonly ArtistArt[] => {
    const inTags = artistsInTags(tracks)
    return records
      .map(({ artist, hasArt, artFileName }) => ({ artist, hasArt, artFileName, ...inTags(artist) }))
      .sort((a, b) => collator.compare(a.artist, b.artist))
  },
)

const collator = new Intl.Collator('en')

const artistsInTags = memoizeLast((tracks: readonly Readonly<Track>[]) => {
  const artists = new Map<string, { spellings: Map<string, number>; modes: Set<Mode> }>()
  for (const { artist, mode } of tracks) {
    const key = artistKey(artist)
    const seen = artists.get(key) ?? { spellings: new Map(), modes: new Set() }
    const name = artist.trim()
    seen.spellings.set(name, (seen.spellings.get(name) ?? 0) + 1)
    seen.modes.add(mode)
    artists.set(key, seen)
  }
  return (artist: string): Pick<ArtistArt, 'name' | 'modes'> => {
    const { spellings, modes } = artists.get(artist) ?? { spellings: [], modes: new Set() }
    // Of spellings that are as frequent, capitals sort first.
    const [[name] = [artist]] = [...spellings].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    return { name, modes: (['day', 'night'] as const).filter((mode) => modes.has(mode)) }
  }
})

type ArtDeps = { data: Pick<DataStore, 'artists' | 'tracks'>; media: MediaStorage; audit: Audit }

/** The key of an artist that gets an image. @throws Failure BAD_REQUEST when it is missing or too long for a file name. */
export function requireArtist(artist = ''): string {
  const key = artistKey(artist)
  if (key === '') throw new Failure('BAD_REQUEST', { field: 'artist', reason: 'missing' })
  if (Buffer.byteLength(fileNameOf(key)) > MAX_FILE_NAME_BYTES)
    throw new Failure('BAD_REQUEST', { field: 'artist', reason: 'name_long' })
  return key
}

/**
 * Stores the image of an artist, and creates the record if there is none.
 *
 * @param artist the key.
 * @throws Failure BAD_REQUEST `empty_body`, `not_jpeg`, `image_large`, or `not_portrait` when it is shown no higher than wide;
 * STORAGE_WRITE_FAILED with its cause.
 */
export async function putArt(
  { data, media, audit }: ArtDeps,
  actor: Actor,
  artist: string,
  image: Uint8Array,
): Promise<ArtistArt> {
  refuseImage(image)
  const before = await data.artists.get(artist)
  const artFileName = fileNameOf(artist)
  await media.put(`${FOLDER}/${artFileName}`, image).catch((cause: unknown) => {
    if (cause instanceof Failure) throw cause
    throw new Failure('STORAGE_WRITE_FAILED', {}, { cause })
  })
  const record = { artist, hasArt: true, artFileName }
  await data.artists.put(record).catch(async (cause: unknown) => {
    if (!before?.hasArt) await media.delete(`${FOLDER}/${artFileName}`)
    throw new Failure('STORAGE_WRITE_FAILED', {}, { cause })
  })
  if (before?.hasArt && before.artFileName !== artFileName)
    await media.delete(`${FOLDER}/${before.artFileName}`)
  await audit.record(actor, 'artist_art_upload', { artist })
  return { ...record, ...artistsInTags(await data.tracks.find())(artist) }
}

/** Removes the image of an artist; the record stays. @throws Failure NOT_FOUND when there is none. */
export async function deleteArt(
  { data, media, audit }: ArtDeps,
  actor: Actor,
  name: string,
): Promise<{ artist: string; hasArt: false; artFileName: '' }> {
  const artist = artistKey(name)
  const { hasArt, artFileName } = (await data.artists.get(artist)) ?? { hasArt: false, artFileName: '' }
  if (!hasArt) throw new Failure('NOT_FOUND')
  const without = { hasArt: false, artFileName: '' } as const
  await data.artists.update({ artist, artFileName }, { ...without, color: '' })
  await media.delete(`${FOLDER}/${artFileName}`)
  // An image uploaded in between was deleted with the old one.
  if (!(await media.stat(`${FOLDER}/${artFileName}`)))
    await data.artists.update({ artist, artFileName }, { ...without, color: '' })
  await audit.record(actor, 'artist_art_delete', { artist })
  return { artist, ...without }
}

function fileNameOf(artist: string): string {
  return `${artist}.jpg`
}

/** @throws Failure BAD_REQUEST for anything but an artist's image. */
function refuseImage(image: Uint8Array): void {
  const refusal = (reason: string) => new Failure('BAD_REQUEST', { field: 'body', reason })
  if (image.length === 0) throw refusal('empty_body')
  const size = readJpegSize(image)
  if (!size) throw refusal('not_jpeg')
  if (size.height * size.width > MAX_MEGAPIXELS * 1e6)
    throw new Failure('BAD_REQUEST', {
      field: 'body',
      reason: 'image_large',
      maxMegapixels: MAX_MEGAPIXELS,
    })
  if (size.height <= size.width) throw refusal('not_portrait')
}

/** Gives an artist of the day mode a record, if there is none. */
export async function ensureArtist(data: DataStore, artist: string): Promise<void> {
  await data.artists.insert({ artist: artistKey(artist), hasArt: false, artFileName: '' })
}

/**
 * Reconciles artist records with images and day tracks: images get a record, artists of day tracks get a record, and
 * records with neither are removed.
 *
 * @param media null = images are not looked at.
 */
export async function reconcileArtists(data: DataStore, media: MediaStorage | null): Promise<void> {
  await media?.sweep(FOLDER)
  await Promise.all(((await media?.list(FOLDER)) ?? []).map((key) => registerImage(data, key)))

  const dayTracks = await data.tracks.find({ mode: 'day' })
  const wanted = new Map(dayTracks.map(({ artist }) => [artistKey(artist), artist]))
  const known = new Set((await data.artists.find()).map((record) => record.artist))
  const missing = [...wanted].filter(([key]) => !known.has(key))
  await Promise.all(missing.map(([, artist]) => ensureArtist(data, artist)))
  await data.artists.delete((record) => !record.hasArt && !wanted.has(record.artist))
}

async function registerImage(data: DataStore, key: MediaKey): Promise<void> {
  const artFileName = key.slice(FOLDER.length + 1)
  if (!/.\.jpg$/i.test(artFileName)) return
  const artist = artistKey(artFileName.slice(0, -'.jpg'.length).normalize('NFC'))
  const record = await data.artists.get(artist)
  if (record?.hasArt) return
  const inserted = await data.artists.insert({ artist, hasArt: true, artFileName })
  if (!inserted) await data.artists.update({ artist, hasArt: false }, { hasArt: true, artFileName })
}
