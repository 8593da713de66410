import { collections } from '@solstice/station'
import { sql } from 'kysely'
import { addressesOf } from '../../config/servers/addresses.ts'
import { createServers, type Servers } from '../servers.ts'
import { openKysely, reasonOf } from './pool.ts'

/**
 * The number of records in each collection of a database, which is not changed; null when it has no tables of a station.
 *
 * @throws when it does not answer.
 */
export async function countPostgresRecords(url: string): Promise<Record<string, number> | null> {
  const servers = createServers(url)
  for (let left = addressesOf(url).length; ; left--)
    try {
      return await countAt(servers)
    } catch (error) {
      if (left === 1) throw new Error(`PostgreSQL cannot be used: ${reasonOf(error)}`)
    }
}

async function countAt(servers: Servers): Promise<Record<string, number> | null> {
  const db = openKysely<unknown>(servers)
  try {
    const { rows } = await sql<{ name: string }>`
      select name from unnest(${sql.val(['collections', ...Object.keys(collections)])}::text[]) as name
      where to_regclass(quote_ident(name)) is not null`.execute(db)
    if (!rows.some(({ name }) => name === 'collections')) return null
    const counts: Record<string, number> = {}
    for (const { name } of rows.filter((row) => row.name !== 'collections')) {
      const counted = await sql<{ count: string }>`
        select count(*) as count from ${sql.table(name)} where record is not null`.execute(db)
      counts[name] = Number(counted.rows[0]?.count)
    }
    return counts
  } finally {
    await db.destroy().catch(() => {})
  }
}
