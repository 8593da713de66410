import { createHash } from 'node:crypto'
import { type Collection, type Contents, collections, type DataStore } from '../ports/data/data-store.ts'

export type CollectionName = keyof typeof collections
export type AnyContents = Contents<Record<string, unknown>>

export const collectionNames = Object.keys(collections) as CollectionName[]

/** The contents of any collection. */
export async function contentsOf(data: DataStore, name: CollectionName): Promise<AnyContents> {
  return anyOf(data, name).contents()
}

/** The number of records of each collection. */
export async function countRecords(data: DataStore): Promise<Record<CollectionName, number>> {
  const counts = collectionNames.map(async (name) => [name, (await anyOf(data, name).find()).length])
  return Object.fromEntries(await Promise.all(counts))
}

/** SHA-256 (hex) over records, their order and the last serial number; the order of fields does not matter. */
export function digestOf({ records, serial }: AnyContents): string {
  const hash = createHash('sha256').update(`${serial}\n`)
  for (const record of records) hash.update(`${JSON.stringify(record, inOrder)}\n`)
  return hash.digest('hex')
}

/**
 * Replaces the contents of a store, serial numbers included, and verifies them. After an interruption a store that was empty
 * is empty again; in any other each collection is either old or new.
 *
 * @param from called once for each collection.
 * @param signal checked between two collections.
 * @throws when the verification fails, and the signal's reason.
 */
export async function copyData(
  from: (name: CollectionName) => Promise<AnyContents>,
  to: DataStore,
  signal: AbortSignal,
  onCopied: (name: CollectionName, records: number) => void = () => {},
): Promise<void> {
  const wasEmpty = Object.values(await countRecords(to)).every((count) => count === 0)
  try {
    for (const name of collectionNames) {
      signal.throwIfAborted()
      const contents = await from(name)
      const target = anyOf(to, name)
      await target.replaceAll(contents).catch((error) => {
        throw new Error(`${name} could not be written`, { cause: error })
      })
      if (digestOf(await target.contents()) !== digestOf(contents))
        throw new Error(`${name}: verification after writing failed`)
      onCopied(name, contents.records.length)
    }
  } catch (error) {
    if (wasEmpty)
      await empty(to).catch(() => {
        throw new Error('interrupted copy could not be removed', { cause: error })
      })
    throw error
  }
}

async function empty(data: DataStore): Promise<void> {
  for (const name of collectionNames) await anyOf(data, name).replaceAll({ records: [], serial: 0 })
}

function anyOf(data: DataStore, name: CollectionName): Collection<Record<string, unknown>, string> {
  return data[name] as unknown as Collection<Record<string, unknown>, string>
}

/** Replacer for `JSON.stringify` that sorts the fields of every object. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
