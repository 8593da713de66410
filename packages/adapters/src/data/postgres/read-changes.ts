import type { CollectionSpec } from '@solstice/station'
import { sql } from 'kysely'
import type { Changes, Key } from '../record.ts'
import { Records } from '../records.ts'
import { fromJsonb, toJsonb } from './jsonb.ts'
import type { Session } from './pool.ts'

const PAGE_ROWS = 2_000
const PAGE_TIMEOUT_MS = 2_000
/** The first pages of a whole collection are large. */
const WHOLE_PAGE_TIMEOUT_MS = 5_000

/** The changes of a collection between two versions. */
export interface Delta<T> {
  changes: Changes<T>
  version: number
  serial: number
  /** True when these are all records, and not only those that changed. */
  isWhole: boolean
}

interface Page {
  version: string
  swept: string
  last_serial: string
  /** null in the only row of a page without changes. */
  place: string | null
  changed: string
  record: string | null
}

/** The start of a read: after a place within a version. */
interface Position {
  version: number
  place: number
}

const after = (version: number): Position => ({ version, place: Number.MAX_SAFE_INTEGER })

/**
 * The changes of a collection since a version, or all records when that is null or too long ago. Each page is a snapshot
 * of its own; a later page brings what changed meanwhile.
 */
export async function readChanges<T extends object>(
  name: string,
  known: number | null,
  { run, extend }: Session,
): Promise<Delta<T>> {
  let base = known
  let isWhole = known === null
  let position = after(known ?? 0)
  const changes = new Map<number, T | null>()
  for (;;) {
    extend(isWhole ? WHOLE_PAGE_TIMEOUT_MS : PAGE_TIMEOUT_MS)
    const page = await run(pageAfter(name, position))
    const last = page.at(-1)
    if (!last) throw new Error(`the database has no collection ${name}`)
    const [version, swept] = [Number(last.version), Number(last.swept)]
    // Removals since then are forgotten, or an older backup of the database was restored.
    if (base !== null && (swept > base || version < base)) {
      base = null
      isWhole = true
      position = after(0)
      changes.clear()
      continue
    }
    for (const { place, record } of page)
      if (place !== null) changes.set(Number(place), record === null ? null : fromJsonb<T>(record))
    if (page.length < PAGE_ROWS) {
      const inOrder = new Map([...changes].sort(([a], [b]) => a - b))
      return { changes: inOrder, version, serial: Number(last.last_serial), isWhole }
    }
    base ??= version
    position = { version: Number(last.changed), place: Number(last.place) }
  }
}

/** The records with some keys, found by the index of keys. */
export async function readRecords<T extends object>(
  name: string,
  spec: CollectionSpec,
  keys: readonly Key[],
  { run }: Session,
): Promise<Records<T>> {
  const kept = sql`record ->> ${sql.lit(spec.key)}`
  // As the text of a jsonb column has them.
  const wanted = [...new Set(keys)].map((key) => JSON.parse(toJsonb(String(key))) as string)
  const rows = await run(sql<{ place: string; record: string }>`
    select place, record::text from ${sql.table(name)}
    where md5(${kept}) = any(array(select md5(wanted) from unnest(${wanted}::text[]) as wanted))
      and ${kept} = any(${wanted}::text[])`)
  const records = new Records<T>(spec)
  records.apply(new Map(rows.map(({ place, record }) => [Number(place), fromJsonb<T>(record)])))
  return records
}

function pageAfter(name: string, { version, place }: Position) {
  return sql<Page>`
    select c.version, c.swept, c.last_serial, r.place, r.version as changed, r.record
    from collections c left join lateral (
      select place, version, record::text from ${sql.table(name)}
      where (version, place) > (${version}, ${place}) order by version, place limit ${sql.lit(PAGE_ROWS)}
    ) r on true
    where c.name = ${name} order by r.version, r.place`
}
