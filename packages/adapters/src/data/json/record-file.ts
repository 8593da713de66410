import { randomBytes, randomUUID } from 'node:crypto'
import { type BigIntStats, closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { CollectionSpec } from '@solstice/station'
import { type Counters, deepFreeze, type Key } from '../record.ts'
import { Records } from '../records.ts'

/**
 * The file of a collection, in lines of JSON: a head, a snapshot of all records as `[place, record]`, then the changes since
 * in order. It is only ever appended to, until a new file replaces it. A last line without its end was torn by a crash
 * and does not count; nor does a line out of sequence, by a process that had lost its lock.
 */
const FORMAT = 'solstice-records'
const FORMAT_VERSION = 2
/** One object with all records, as earlier stations wrote it. */
const OLD_VERSION = 1
const NEW_LINE = 10
/** The last bytes read identify a file as the one that was read. */
const TAIL_BYTES = 64
const PIECE_BYTES = 256 * 1024

interface Head {
  format: typeof FORMAT
  version: typeof FORMAT_VERSION
  /** uuid of this file. */
  id: string
  /** The file that this one replaced, and how many of its bytes it is equivalent to; null = other content. */
  of: { id: string; bytes: number } | null
  /** Length of the snapshot behind this line. */
  bytes: number
  count: number
  place: number
  serial: number
}

interface Line<T> {
  n: number
  place: number
  serial: number
  changes: [place: number, record: T | null][]
  /** Random, so that a writer recognises its own line. */
  mark: string
}

/** A file as far as a process has read it. It stays open, so that its inode number is not reused meanwhile. */
export interface ReadFile<T extends object> {
  readonly pin: number
  readonly file: BigIntStats
  /** null = a file of the old format. */
  readonly id: string | null
  readonly records: Records<T>
  readonly last: Counters
  /** Offset behind the last line that was read. */
  readonly bytes: number
  readonly tail: Buffer
  /** Number and mark of the last change. */
  readonly n: number
  readonly mark: string
  /** Records in the file, outdated ones included. */
  readonly entries: number
}

/** Reads a file from its beginning and keeps it open. @throws when it cannot be understood. */
export function readFile<T extends object>(path: string, spec: CollectionSpec): ReadFile<T> {
  const pin = openSync(path, 'r')
  try {
    const file = fstatSync(pin, { bigint: true })
    const bytes = readBytes(pin, 0, Number(file.size))
    const { head, length } = headOf(bytes)
    const records = new Records<T>(spec)
    if (!head) return { pin, file, ...readOld(bytes, spec, records) }
    const end = length + head.bytes
    if (bytes.length < end) throw new Error('its end is missing')
    const all = new Map<number, T>()
    for (const line of linesIn(bytes.subarray(length, end))) {
      const [place, record] = JSON.parse(line) as [number, T]
      all.set(place, deepFreeze(record))
    }
    if (all.size !== head.count) throw new Error('records are missing')
    assertKeys(all.values(), spec)
    records.apply(all)
    const { id, place, serial } = head
    const tail = bytes.subarray(Math.max(0, end - TAIL_BYTES), end)
    const base = { pin, file, id, records, last: { place, serial }, bytes: end, tail, n: 0, mark: '' }
    return { ...base, ...readChanges({ ...base, entries: all.size }, bytes.subarray(end)) }
  } catch (error) {
    closeSync(pin)
    throw error
  }
}

/** Reads the lines appended since; null when it is no longer the file that was read. */
export function readOn<T extends object>(known: ReadFile<T>, upTo?: number): ReadFile<T> | null {
  const file = fstatSync(known.pin, { bigint: true })
  const end = upTo ?? Number(file.size)
  if (known.id === null || end < known.bytes || file.size < known.bytes) return null
  const bytes = readBytes(known.pin, known.bytes - known.tail.length, end)
  if (!bytes.subarray(0, known.tail.length).equals(known.tail)) return null
  return { ...known, file, ...readChanges(known, bytes.subarray(known.tail.length)) }
}

/** Reads the replacement of a known file, except for the snapshot that both share; null when there is more to read. */
export function readSuccessor<T extends object>(path: string, known: ReadFile<T>): ReadFile<T> | null {
  const pin = openSync(path, 'r')
  try {
    const file = fstatSync(pin, { bigint: true })
    const { head, length } = headOf(readBytes(pin, 0, Math.min(Number(file.size), PIECE_BYTES)))
    const before = head?.of && head.of.id === known.id ? readOn(known, head.of.bytes) : null
    if (head && before?.bytes === head.of?.bytes && before) {
      const bytes = length + head.bytes
      const tail = readBytes(pin, Math.max(0, bytes - TAIL_BYTES), bytes)
      const { id, count: entries } = head
      const next = readOn({ ...before, pin, file, id, bytes, tail, n: 0, mark: '', entries })
      if (next) return next
    }
    closeSync(pin)
    return null
  } catch (error) {
    closeSync(pin)
    throw error
  }
}

/** A change as the next line of a file. */
export function lineOf<T extends object>(
  { n }: ReadFile<T>,
  { place, serial }: Counters,
  changes: Iterable<[number, T | null]>,
): { line: Buffer; mark: string } {
  const mark = randomBytes(6).toString('hex')
  const line: Line<T> = { n: n + 1, place, serial, changes: [...changes], mark }
  return { line: Buffer.from(`${JSON.stringify(line)}\n`), mark }
}

/**
 * The content of a whole new file, in pieces.
 *
 * @param of the file that holds the same; null when none does.
 */
export async function* wholeFile<T extends object>(
  records: readonly [number, T][],
  last: Counters,
  of: Pick<ReadFile<T>, 'id' | 'bytes'> | null,
): AsyncGenerator<Buffer> {
  const lines = function* () {
    for (const entry of records) yield `${JSON.stringify(entry)}\n`
  }
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of inPieces(lines())) {
    bytes += piece.length
    pieces.push(piece)
  }
  const head: Head = {
    ...{ format: FORMAT, version: FORMAT_VERSION, id: randomUUID() },
    of: of?.id ? { id: of.id, bytes: of.bytes } : null,
    ...{ bytes, count: records.length, place: last.place, serial: last.serial },
  }
  yield Buffer.from(`${JSON.stringify(head)}\n`)
  yield* pieces
}

/** Yields to the event loop in between: many records take long. */
async function* inPieces(lines: Iterable<string>): AsyncGenerator<Buffer> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length < PIECE_BYTES) continue
    yield Buffer.from(text)
    text = ''
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  if (text) yield Buffer.from(text)
}

function readChanges<T extends object>(known: ReadFile<T>, bytes: Buffer) {
  const { records } = known
  let { last, n, mark, entries } = known
  // Nothing is applied before all lines have been parsed.
  const lines: Line<T>[] = []
  for (const text of linesIn(bytes)) {
    const line = JSON.parse(text) as Line<T>
    if (line.n !== n + 1) continue
    n = line.n
    mark = line.mark
    last = { place: line.place, serial: line.serial }
    entries += line.changes.length
    lines.push(line)
  }
  for (const { changes } of lines)
    records.apply(new Map(changes.map(([place, record]) => [place, deepFreeze(record)])))
  const read = bytes.subarray(0, bytes.lastIndexOf(NEW_LINE) + 1)
  const tail = Buffer.from(Buffer.concat([known.tail, read]).subarray(-TAIL_BYTES))
  return { last, n, mark, entries, bytes: known.bytes + read.length, tail }
}

function readOld<T extends object>(bytes: Buffer, spec: CollectionSpec, records: Records<T>) {
  const content: unknown = JSON.parse(bytes.toString())
  if (!isObject(content) || !Array.isArray(content.records)) throw new Error('it holds no records')
  if (content.version !== OLD_VERSION) throw new Error(`its format is version ${content.version}`)
  assertKeys(content.records, spec)
  let serial = Number.isSafeInteger(content.serial) ? Number(content.serial) : 0
  const all = content.records.map((record: T, i): [number, T] => [i + 1, deepFreeze(record)])
  if (spec.serial)
    for (const [, record] of all) serial = Math.max(serial, Number(record[spec.key as keyof T]))
  records.apply(new Map(all))
  const last = { place: all.length, serial }
  return {
    id: null,
    records,
    last,
    bytes: bytes.length,
    tail: bytes.subarray(0, 0),
    n: 0,
    mark: '',
    entries: all.length,
  }
}

function assertKeys(records: Iterable<unknown>, spec: CollectionSpec): void {
  const keys = new Set<Key>()
  for (const record of records) {
    const key: unknown = isObject(record) ? record[spec.key] : undefined
    if (typeof key !== (spec.serial ? 'number' : 'string')) throw new Error(`a record has no "${spec.key}"`)
    if (keys.has(key as Key)) throw new Error(`two records have the ${spec.key} ${key}`)
    keys.add(key as Key)
  }
}

/** The first line, when it is the head of a file of this format. */
function headOf(bytes: Buffer): { head: Head | null; length: number } {
  const length = bytes.indexOf(NEW_LINE) + 1
  if (length === 0 || !bytes.subarray(0, 64).includes(`"format":"${FORMAT}"`)) return { head: null, length }
  const head = JSON.parse(bytes.toString('utf8', 0, length)) as Head
  if (head.version !== FORMAT_VERSION) throw new Error(`its format is version ${head.version}`)
  return { head, length }
}

function* linesIn(bytes: Buffer): Generator<string> {
  for (let at = 0; ; ) {
    const end = bytes.indexOf(NEW_LINE, at)
    if (end < 0) return
    yield bytes.toString('utf8', at, end)
    at = end + 1
  }
}

function readBytes(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, to - from))
  let read = 0
  while (read < bytes.length) {
    const count = readSync(fd, bytes, read, bytes.length - read, from + read)
    if (count === 0) break
    read += count
  }
  return bytes.subarray(0, read)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
