import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import {
  type AnyContents,
  type CollectionName,
  type CollectionSpec,
  collectionNames,
  collections,
  contentsOf,
  copyData,
  type DataStore,
  digestOf,
  Failure,
  listMedia,
  type MediaKey,
  type MediaStorage,
  mediaFolders,
} from '@solstice/station'
import { refuseUnfit } from '../data/records.ts'
import { syncFolder } from '../files/durable-files.ts'
import { namesIn } from '../media/keys.ts'
import { ArchiveError, type FileToPack, type PackedFile, pack, unpack } from './archive.ts'

const FORMAT = 'solstice-backup'
const FORMAT_VERSION = 1
const MANIFEST = 'manifest.json'
/** Of all collections together, which a restore reads into memory. */
const MAX_DATA_BYTES = 512 * 1024 * 1024
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024
const MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024
const MAX_FILES = 1_000_000

/** What an archive says of itself; its last file, so that one that was broken off has none. */
export interface BackupManifest {
  format: typeof FORMAT
  version: typeof FORMAT_VERSION
  /** ISO 8601 */
  createdAt: string
  /** `each`: the station may have been running, so collections may be of different moments. */
  consistency: 'all' | 'each'
  /** `sha256` as `digestOf`. */
  collections: Partial<Record<CollectionName, { records: number; serial: number; sha256: string }>>
  /** null = the backup is without files. */
  media: Record<MediaKey, { bytes: number; sha256: string }> | null
}

type FileDigests = NonNullable<BackupManifest['media']>

/**
 * Writes all that the station remembers, and its files unless `media` is null, into one archive. It has its name when it is
 * complete, and only its owner may read it: it holds the hashes of passwords.
 *
 * @param station.contents other contents than what is in the data store.
 * @throws when there is a file of that name, when it would be more than a restore takes, and the signal's reason.
 */
export async function writeBackup(
  path: string,
  station: {
    data: DataStore
    media: MediaStorage | null
    isRunning: boolean
    contents?: (name: CollectionName) => Promise<AnyContents>
  },
  signal: AbortSignal,
  onFile: (what: string) => void = () => {},
): Promise<BackupManifest> {
  if (await stat(path).catch(() => null)) throw new Error(`${path} exists already`)
  const now = new Date()
  const manifest: BackupManifest = {
    format: FORMAT,
    version: FORMAT_VERSION,
    createdAt: now.toISOString(),
    consistency: station.isRunning ? 'each' : 'all',
    collections: {},
    media: station.media && {},
  }
  const { data, contents = (name) => contentsOf(data, name) } = station
  let dataBytes = 0
  const files = async function* () {
    for (const name of collectionNames) {
      const held = await contents(name)
      const file = collectionFile(name, held)
      dataBytes += file.size
      if (dataBytes > MAX_DATA_BYTES)
        throw new Error(
          `all records are more than ${MAX_DATA_BYTES} bytes, which no restore takes; use pg_dump`,
        )
      manifest.collections[name] = {
        records: held.records.length,
        serial: held.serial,
        sha256: digestOf(held),
      }
      yield file
      onFile(name)
    }
    if (station.media && manifest.media) {
      for (const key of await listMedia(station.media)) {
        const file = await mediaFile(station.media, key, manifest.media)
        if (file) yield file
        onFile(key)
      }
    }
    const said = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)
    if (said.length > MAX_MANIFEST_BYTES) throw new Error('there are more files than a restore takes')
    yield { path: MANIFEST, size: said.length, content: once(said) }
  }

  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`)
  // Opened first: a stream that breaks off at once would make its file after that was removed.
  const file = await open(temporary, 'wx', 0o600)
  try {
    await pipeline(
      pack(files(), now),
      // Music does not get smaller.
      createGzip({ level: 1 }),
      file.createWriteStream({ flush: true }),
      { signal },
    )
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(dirname(path))
  return manifest
}

/** An archive that was read from its first to its last byte. */
export interface Backup {
  manifest: BackupManifest
  /** Of all its files. */
  mediaBytes: number
  /** Puts all of it in place of what is there; files that are there and not in the archive stay. */
  restore(
    station: { data: DataStore; media: MediaStorage | null },
    signal: AbortSignal,
    onFile?: (what: string) => void,
  ): Promise<void>
}

/**
 * Reads an archive through and checks all of it against its manifest; nothing of it is written anywhere.
 *
 * @throws ArchiveError naming what is wrong with it.
 */
export async function readBackup(path: string, signal: AbortSignal): Promise<Backup> {
  const contents = new Map<CollectionName, AnyContents['records']>()
  const media: FileDigests = {}
  let manifest: BackupManifest | null = null
  let count = 0
  let dataBytes = 0
  for await (const file of filesOf(path, signal)) {
    if (manifest) throw new ArchiveError('something comes after its manifest')
    if (++count > MAX_FILES) throw new ArchiveError('it has too many files')
    const place = placeOf(file.path)
    if (place.kind === 'manifest') manifest = await readManifest(file)
    else if (place.kind === 'collection') {
      if (contents.has(place.name)) throw new ArchiveError(`${file.path} comes twice`)
      contents.set(place.name, await readRecords(file, place.name, MAX_DATA_BYTES - dataBytes))
      dataBytes += file.size
    } else {
      if (Object.hasOwn(media, place.key)) throw new ArchiveError(`${file.path} comes twice`)
      refuseLarge(file, MAX_FILE_BYTES)
      const hash = createHash('sha256')
      for await (const piece of file.content) hash.update(piece)
      media[place.key] = { bytes: file.size, sha256: hash.digest('hex') }
    }
  }
  if (!manifest) throw new ArchiveError('it has no manifest, so it is broken off or no backup')
  const { collections: said, media: saidMedia } = manifest
  const held = (name: CollectionName): AnyContents => ({
    records: contents.get(name) ?? [],
    serial: said[name]?.serial ?? 0,
  })
  for (const name of collectionNames) {
    const { records, serial } = held(name)
    const isAsSaid = said[name]
      ? contents.has(name) &&
        said[name].records === records.length &&
        said[name].sha256 === digestOf({ records, serial })
      : !contents.has(name)
    if (!isAsSaid) throw new ArchiveError(`${name} is not what the manifest says`)
  }
  refuseOtherMedia(media, saidMedia ?? {})

  return {
    manifest,
    mediaBytes: Object.values(media).reduce((sum, { bytes }) => sum + bytes, 0),
    async restore(station, signal, onFile = () => {}) {
      // Files first: a record never points at one that is missing.
      if (station.media) {
        for await (const file of filesOf(path, signal)) {
          const place = placeOf(file.path)
          if (place.kind !== 'media') continue
          await putChecked(station.media, place.key, file, media[place.key]?.sha256)
          onFile(place.key)
        }
      }
      signal.throwIfAborted()
      await copyData(async (name) => held(name), station.data, signal, onFile)
    },
  }
}

async function putChecked(
  media: MediaStorage,
  key: MediaKey,
  file: PackedFile,
  sha256: string | undefined,
): Promise<void> {
  const hash = createHash('sha256')
  const pieces = async function* () {
    for await (const piece of file.content) {
      hash.update(piece)
      yield piece
    }
    if (hash.digest('hex') !== sha256) throw new ArchiveError('it was changed while it was read')
  }
  await media.put(key, pieces())
}

async function* filesOf(path: string, signal: AbortSignal): AsyncGenerator<PackedFile> {
  const packed = createReadStream(path, { signal })
  const gunzip = createGunzip()
  packed.on('error', (error) => gunzip.destroy(error))
  try {
    yield* unpack(gunzipped(packed.pipe(gunzip)))
  } finally {
    packed.destroy()
    gunzip.destroy()
  }
}

async function* gunzipped(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* pieces
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code === 'string' && code.startsWith('Z_'))
      throw new ArchiveError('it is broken off or damaged')
    throw error
  }
}

type Place =
  | { kind: 'manifest' }
  | { kind: 'collection'; name: CollectionName }
  | { kind: 'media'; key: MediaKey }

/** @throws ArchiveError when a backup has no such file, above all when the path would lead elsewhere. */
function placeOf(path: string): Place {
  if (path === MANIFEST) return { kind: 'manifest' }
  const name = /^collections\/(\w+)\.ndjson$/.exec(path)?.[1]
  if (name && Object.hasOwn(collections, name)) return { kind: 'collection', name: name as CollectionName }
  const key = path.startsWith('media/') ? path.slice('media/'.length) : ''
  if (mediaFolders.includes(key.slice(0, Math.max(0, key.lastIndexOf('/')))) && isKey(key))
    return { kind: 'media', key }
  throw new ArchiveError(`it holds a file that no backup has: ${JSON.stringify(path.slice(0, 200))}`)
}

function isKey(key: string): boolean {
  try {
    return !namesIn(key).at(-1)!.startsWith('.')
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

function collectionFile(name: CollectionName, { records }: AnyContents): FileToPack {
  const lines = function* () {
    for (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`)
  }
  let size = 0
  for (const line of lines()) size += line.length
  const content = async function* () {
    yield* lines()
  }
  return { path: `collections/${name}.ndjson`, size, content: content() }
}

/** Null when the file is gone since it was listed. */
async function mediaFile(
  media: MediaStorage,
  key: MediaKey,
  digests: FileDigests,
): Promise<FileToPack | null> {
  const file = await media.stat(key)
  const opened = file && (await media.open(key).catch(nothingIfGone))
  if (!file || !opened) return null
  const hash = createHash('sha256')
  const content = async function* () {
    for await (const piece of opened as AsyncIterable<Buffer>) {
      hash.update(piece)
      yield piece
    }
    digests[key] = { bytes: file.size, sha256: hash.digest('hex') }
  }
  return { path: `media/${key}`, size: file.size, content: content() }
}

function nothingIfGone(error: unknown): null {
  if (error instanceof Failure && error.code === 'NOT_FOUND') return null
  throw error
}

async function readRecords(
  file: PackedFile,
  name: CollectionName,
  maxBytes: number,
): Promise<AnyContents['records']> {
  const records: Record<string, unknown>[] = []
  const text = await readWhole(file, maxBytes)
  const spec: CollectionSpec = collections[name]
  try {
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf(10, at)
      records.push(JSON.parse(text.toString('utf8', at, end < 0 ? text.length : end)))
      at = end < 0 ? text.length : end + 1
    }
    refuseUnfit(records, spec)
  } catch (error) {
    throw new ArchiveError(`${file.path} cannot be used: ${(error as Error).message}`)
  }
  return records
}

async function readManifest(file: PackedFile): Promise<BackupManifest> {
  const text = (await readWhole(file, MAX_MANIFEST_BYTES)).toString()
  try {
    const said = JSON.parse(text) as Partial<BackupManifest> | null
    if (said?.format !== FORMAT) throw new ArchiveError('its manifest is not that of a backup')
    if (said.version !== FORMAT_VERSION)
      throw new ArchiveError(`its format is version ${said.version}; this is for version ${FORMAT_VERSION}`)
    if (typeof said.collections !== 'object' || !said.collections || typeof said.media !== 'object')
      throw new ArchiveError('its manifest is incomplete')
    return said as BackupManifest
  } catch (error) {
    throw error instanceof ArchiveError ? error : new ArchiveError('its manifest cannot be read')
  }
}

async function readWhole(file: PackedFile, maxBytes: number): Promise<Buffer> {
  refuseLarge(file, maxBytes)
  const pieces: Buffer[] = []
  for await (const piece of file.content) pieces.push(piece)
  return Buffer.concat(pieces)
}

function refuseLarge({ path, size }: PackedFile, maxBytes: number): void {
  if (size > maxBytes) throw new ArchiveError(`${path} is too large`)
}

function refuseOtherMedia(found: FileDigests, said: FileDigests): void {
  for (const key of new Set([...Object.keys(found), ...Object.keys(said)])) {
    const [one, other] = [found[key], said[key]]
    if (one?.bytes !== other?.bytes || one?.sha256 !== other?.sha256)
      throw new ArchiveError(`media/${key} is not what the manifest says`)
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
