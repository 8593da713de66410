import {
  type AnyContents,
  type CollectionName,
  contentsOf,
  type DataStore,
  type InboxRecord,
} from '@solstice/station'

/** Reads the collections of a store, with the deliveries that wait on this machine's disk in the inbox, where they belong. */
export function withSpooled(
  data: DataStore,
  spooled: readonly InboxRecord[],
): (name: CollectionName) => Promise<AnyContents> {
  return async (name) => {
    const held = await contentsOf(data, name)
    if (name !== 'inbox') return held
    const known = new Set(held.records.map(({ id }) => id))
    const missing = spooled.filter(({ id }) => !known.has(id)).map((record) => ({ ...record }))
    return { ...held, records: [...held.records, ...missing] }
  }
}
