/**
 * `npm run test:mutations`: puts one fault after another into a copy of the sources, runs the tests that cover
 * it, and reports the faults that no test noticed. `npm run test:mutations -- <words>` tries those whose file or
 * description contains one of the words.
 */
import { join } from 'node:path'
import { type Copy, copySources } from './copy.ts'
import { allMutations } from './faults/all.ts'
import type { Mutation } from './mutation.ts'

/** Copies in which faults are tried in parallel. */
const LANES = 2
const RUN_LIMIT_MS = 240_000

const root = join(import.meta.dirname, '../..')
const words = process.argv.slice(2)
const chosen = allMutations.filter(
  ({ file, breaks }) => words.length === 0 || words.some((word) => `${file} ${breaks}`.includes(word)),
)
const copies = await Promise.all(Array.from({ length: LANES }, () => copySources(root)))
process.once('SIGINT', () => void removeAll().then(() => process.exit(130)))
try {
  await checkTests()
  const unnoticed = await tryAll()
  console.log(`${chosen.length - unnoticed} passed, ${unnoticed} failed`)
  process.exitCode = unnoticed > 0 || chosen.length === 0 ? 1 : 0
} finally {
  await removeAll()
}

/** A test that fails without a fault proves nothing. */
async function checkTests(): Promise<void> {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))]
  await inLanes(files, async (copy, file) => {
    const verdict = await copy.run([file], RUN_LIMIT_MS)
    if (verdict !== 'passed') throw new Error(`${file} ${verdict} before anything was changed`)
  })
}

/** @returns the number of faults that survived or showed only as a test that hung. */
async function tryAll(): Promise<number> {
  let unnoticed = 0
  await inLanes(chosen, async (copy, mutation) => {
    const verdict = await copy.tryOut(mutation, RUN_LIMIT_MS)
    if (verdict !== 'failed') unnoticed++
    console.log(`${verdict === 'failed' ? 'ok' : 'not ok'} - ${describe(mutation, verdict)}`)
  })
  return unnoticed
}

function describe({ file, breaks }: Mutation, verdict: string): string {
  const outcome = verdict === 'failed' ? '' : verdict === 'hung' ? ' (only hung)' : ' (survived)'
  return `${file}: ${breaks}${outcome}`
}

async function inLanes<T>(items: readonly T[], work: (copy: Copy, item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  await Promise.all(
    copies.map(async (copy) => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(copy, item)
    }),
  )
}

async function removeAll(): Promise<void> {
  await Promise.all(copies.map((copy) => copy.remove()))
}
