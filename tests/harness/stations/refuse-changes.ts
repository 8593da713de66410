import { mkdir, rename, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ports } from '@solstice/adapters'
import pg from 'pg'

/** Makes a collection refuse every change while it stays readable, in any store. @returns a function that ends this. */
export async function refuseChanges({ config }: Ports, collection: string): Promise<() => Promise<void>> {
  if (!config.database) {
    // A folder cannot be overwritten by a rename.
    const file = join(config.dataDir, `${collection}.json`)
    await rename(file, `${file}.aside`)
    await mkdir(file)
    return async () => {
      await rmdir(file)
      await rename(`${file}.aside`, file)
    }
  }
  const client = new pg.Client({ connectionString: config.database.url })
  await client.connect()
  await client.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused by the test'; end $$;
    create trigger refuse before insert or update on ${collection} for each row execute function refuse()`)
  return async () => {
    await client.query('drop function refuse cascade')
    await client.end()
  }
}
