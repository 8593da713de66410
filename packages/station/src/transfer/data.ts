import { createHash } from 'node:crypto'
import { type Collection, type Contents, collections, type DataStore } from '../ports/data-store.ts'

export type CollectionName = keyof typeof collections
export type AnyContents = Contents<Record<string, unknown>>

export const collectionNames = Object.keys(collections) as CollectionName[]

/** What a collection holds, whatever its records are. */
export async function contentsOf(data: DataStore, name: CollectionName): Promise<AnyContents> {
  return anyOf(data, name).contents()
}

/** How many records each collection has. */
export async function countRecords(data: DataStore): Promise<Record<CollectionName, number>> {
  const counts = collectionNames.map(async (name) => [name, (await anyOf(data, name).find()).length])
  return Object.fromEntries(await Promise.all(counts))
}

/** SHA-256 (hex) of records, their order and the last serial number, however a store orders the fields of a record. */
export function digestOf({ records, serial }: AnyContents): string {
  const hash = createHash('sha256').update(`${serial}\n`)
  for (const record of records) hash.update(`${JSON.stringify(record, inOrder)}\n`)
  return hash.digest('hex')
}

/**
 * Gives a store what another holds in place of all it has, serial numbers included, and reads it again afterwards. When it
 * breaks off, a store that was empty is empty again; of another, each collection is as it was or as it is to be.
 *
 * @param from told of each collection once.
 * @param signal looked at between two collections.
 * @throws when a collection is not what was written, and the signal's reason.
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
        throw new Error(`${name} cannot be written`, { cause: error })
      })
      if (digestOf(await target.contents()) !== digestOf(contents))
        throw new Error(`${name}: what was written is not what is there now`)
      onCopied(name, contents.records.length)
    }
  } catch (error) {
    if (wasEmpty)
      await empty(to).catch(() => {
        throw new Error('what was written before it broke off could not be removed again', { cause: error })
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

/** For JSON.stringify: the fields of every object by name. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
