/**
 * `npm test`: types, lint and dependency rule, and all tests; ends with the line `N passed, N failed`.
 * `npm test -- <files>` runs these tests only.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const files = process.argv.slice(2)
// Side by side: the checks need one core only.
const [{ passed, failed }, complaint] = await Promise.all([test(), files.length === 0 ? check() : null])
if (passed + failed === 0) console.error('No test ran.')
if (complaint !== null) console.error(`${complaint}\nThe checks failed (npm run check).`)

const failures = failed + (complaint === null ? 0 : 1)
process.exitCode = failures > 0 || passed === 0 ? 1 : 0
console.log(`${passed} passed, ${failures} failed`)

/** What is wrong, as it was said; null when nothing is. */
async function check() {
  const npm = spawn('npm', ['run', '--silent', 'check'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (text) => (said += text))
  const [code] = await once(npm, 'close')
  return code === 0 ? null : said
}

/** Counts the assertions of all files. A test process that breaks off is a failure of its own. */
async function test() {
  const args = ['node_modules/tap/dist/esm/run.mjs', 'run', '--reporter=tap', ...files]
  const tap = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(tap, 'close')
  // What went well inside a file is left out, so that a failure is found at once.
  const isDetail = /^\s+(ok \d|\d+\.\.\d|# Subtest|# time|# \{)|^\s*$|^# Subtest/
  const counts = { total: 0, pass: 0, fail: 0 }
  for await (const line of createInterface({ input: tap.stdout })) {
    if (!isDetail.test(line)) console.log(line)
    const summary = /^# \{ (total: .*) \}$/.exec(line)?.[1] ?? ''
    for (const [, name, value] of summary.matchAll(/(\w+): (\d+)/g)) counts[name] = Number(value)
  }
  const [code] = await ended
  return { passed: counts.pass, failed: counts.fail || (code === 0 ? 0 : 1) }
}
