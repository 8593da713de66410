/**
 * `npm test`: types, lint and dependency rule, then all tests; ends with the line `N passed, N failed`.
 * `npm test -- <files>` runs these tests only.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const files = process.argv.slice(2)
const checksFailed = files.length === 0 && !(await check())
const { passed, failed } = await test()
if (passed + failed === 0) console.error('No test ran.')
if (checksFailed) console.error('The checks failed (npm run check); see above.')

const failures = failed + (checksFailed ? 1 : 0)
process.exitCode = failures > 0 || passed === 0 ? 1 : 0
console.log(`${passed} passed, ${failures} failed`)

async function check() {
  const npm = spawn('npm', ['run', '--silent', 'check'], { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(npm, 'close')
  return code === 0
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
