import { collectionNames, contentsOf, copyData } from '@solstice/station'
import { openData } from '../../packages/adapters/src/stores.ts'
import { countIn, type Place, pathOf, placeOfData, readPlace, readStation, silent } from './configuration.ts'
import { refuseWhileRunning } from './running.ts'
import { plural, Refusal, say, table, UsageError } from './terminal.ts'

/** Moves all of the station's data between files and a database. */
export async function moveData(
  args: {
    from?: string | undefined
    to?: string | undefined
    'data-dir'?: string | undefined
    'database-url'?: string | undefined
    'env-file'?: string | undefined
    replace: boolean
    force: boolean
    'dry-run': boolean
  },
  signal: AbortSignal,
): Promise<void> {
  const { from, to } = args
  for (const [name, kind] of Object.entries({ from, to }))
    if (kind !== 'json' && kind !== 'sql') throw new UsageError(`--${name} must be json or sql`)
  if (from === to) throw new UsageError('--from and --to are the same')
  const station = readStation()
  const sql = await readPlace({ DATA_PROVIDER: 'sql', DATABASE_URL: args['database-url'] }, args['env-file'])
  const dataDir = args['data-dir'] === undefined ? station.dataDir : pathOf(args['data-dir'])
  const json = { database: null, dataDir }
  const [source, target]: [Place, Place] = from === 'json' ? [json, sql] : [sql, json]

  const [held, there] = [(await countIn(source)) ?? {}, (await countIn(target)) ?? {}]
  const has = (counts: typeof held) => Object.values(counts).some((count) => count > 0)
  if (!has(held)) throw new Refusal(`there is nothing in ${placeOfData(source)}`)
  if (has(there) && !args.replace)
    throw new Refusal(
      `there is something in ${placeOfData(target)} already; --replace puts this in its place`,
    )
  if (!args.force) await refuseWhileRunning(station, [dataDir])
  signal.throwIfAborted()

  say(`from ${placeOfData(source)}`)
  say(`to   ${placeOfData(target)}`)
  if (args['dry-run']) {
    const rows = collectionNames.map((name) => [name, held[name] ?? 0, there[name] ?? 0])
    for (const line of table([['records', 'from', 'to'], ...rows])) say(line)
    say('dry run: nothing was changed')
    return
  }
  const [one, other] = [await openData(source, silent), await openData(target, silent)]
  try {
    let records = 0
    const onCopied = (name: string, count: number) => {
      records += count
      say(`${name}: ${plural(count, 'record')}`)
    }
    await copyData((name) => contentsOf(one, name), other, signal, onCopied)
    say(`${plural(records, 'record')} copied and compared`)
  } finally {
    await Promise.all([one.close(), other.close()])
  }
  say(`to use it: DATA_PROVIDER=${to}`)
}
