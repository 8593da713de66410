/**
 * `npm run test:node -- 24`: runs the whole suite under another version of Node.js, taken from the npm
 * registry's package `node`. `npm run test:node -- 24 <files>` runs only these tests.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

const [line = '', ...files] = process.argv.slice(2)
if (!/^\d+(\.\d+){0,2}$/.test(line)) {
  console.error('Name a version of Node.js, for instance: npm run test:node -- 24')
  process.exit(2)
}
const folder = join(import.meta.dirname, '../.build/node', line)
await mkdir(folder, { recursive: true })
// Its install script puts the program in place, so this is the one package whose scripts run.
const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
execFileSync('npm', ['install', '--prefix', folder, ...quiet, `node@${line}`], { stdio: 'inherit' })
const bin = join(folder, 'node_modules/node/bin')
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
const version = execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim()
console.log(`Testing with Node.js ${version}`)
const { status } = spawnSync('npm', ['test', ...(files.length > 0 ? ['--', ...files] : [])], {
  env,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
