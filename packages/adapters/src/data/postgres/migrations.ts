import { type CollectionSpec, collections } from '@solstice/station'
import { type Kysely, type Migration, Migrator, sql } from 'kysely'

/** This version of the program cannot use the database, and waiting will not help. */
export class UnsupportedDatabase extends Error {}

/**
 * Brings a database to this version. The table of each collection has a migration of its own, so that collections added
 * later get theirs as well. Of several processes that start at once, one migrates.
 *
 * @throws UnsupportedDatabase after a newer version of the program, or for an encoding other than UTF-8; any database error.
 */
export async function migrate(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db)
  const [encoding] = rows.map(({ server_encoding }) => server_encoding)
  if (encoding !== 'UTF8')
    throw new UnsupportedDatabase(`the database has the encoding ${encoding}; it has to be UTF8`)
  const provider = { getMigrations: async () => migrations() }
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true })
  const { error } = await migrator.migrateToLatest()
  if (error instanceof Error && error.message.startsWith('corrupted migrations'))
    throw new UnsupportedDatabase('a newer version of the program has changed the database; use that one')
  if (error) throw error
}

function migrations(): Record<string, Migration> {
  const tables = Object.entries<CollectionSpec>(collections).map(([name, spec]) => [
    `1-collection-${name}`,
    { up: (db: Kysely<unknown>) => createCollection(db, name, spec) },
  ])
  return {
    '0-collections': { up: createCounters },
    ...Object.fromEntries(tables),
    // Its table is older than its unique combination.
    '2-unique-audit': { up: (db: Kysely<unknown>) => createUnique(db, 'audit', collections.audit.unique) },
  }
}

/** One row per collection. Writers lock it, so the versions of a collection are in the order of the commits. */
async function createCounters(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('collections')
    .addColumn('name', 'text', (column) => column.primaryKey())
    // Rises with every commit.
    .addColumn('version', 'bigint', (column) => column.notNull().defaultTo(0))
    // Removals up to this version are forgotten.
    .addColumn('swept', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('last_place', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('last_serial', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  // Each transaction leaves a token, so that its fate can be looked up after a broken connection.
  await db.schema
    .createTable('commits')
    .addColumn('token', 'uuid', (column) => column.primaryKey())
    .addColumn('at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .execute()
}

async function createCollection(
  db: Kysely<unknown>,
  name: string,
  { key, unique }: CollectionSpec,
): Promise<void> {
  await db.schema
    .createTable(name)
    // Order of insertion; never reused.
    .addColumn('place', 'bigint', (column) => column.primaryKey())
    // The version of the collection at its last change.
    .addColumn('version', 'bigint', (column) => column.notNull())
    // null = removed.
    .addColumn('record', 'jsonb')
    .execute()
  const table = sql.table(name)
  await sql`create index ${sql.id(`${name}_changes`)} on ${table} (version, place)`.execute(db)
  await sql`create index ${sql.id(`${name}_removed`)} on ${table} (version) where record is null`.execute(db)
  await sql`create unique index ${sql.id(`${name}_key`)} on ${table} (${hashed(key)})`.execute(db)
  if (unique) await createUnique(db, name, unique)
  await sql`insert into collections (name) values (${sql.lit(name)})`.execute(db)
}

async function createUnique(db: Kysely<unknown>, name: string, fields: readonly string[]): Promise<void> {
  const combination = sql.join(fields.map(hashed))
  await sql`create unique index if not exists ${sql.id(`${name}_unique`)} on ${sql.table(name)} (${combination})`.execute(
    db,
  )
}

/** An index takes no texts of more than 2 700 bytes. Nulls are distinct: neither removals count nor records without the field. */
const hashed = (field: string) => sql`md5(record ->> ${sql.lit(field)})`
