/**
 * Part of `npm run check`: searches code and documents for words that the glossary of ARCHITECTURE.md rules out,
 * as a word of a sentence or of a name, in the singular or the plural.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names on the wire, in records and in states of earlier versions cannot change. */
const SPEAK_OF_EARLIER = [
  /^ARCHITECTURE\.md$/,
  /^CHANGELOG\.md$/,
  /^docs\/decisions\//,
  /\/saved\//,
  /former-version\.test\.ts$/,
]

/** Names of metrics and of keys in Redis, which outlive a version. */
const STORED_NAMES = /solstice_\w+|\$\{PREFIX\}[\w-]+/g

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const glossary = read('ARCHITECTURE.md').split(/<!-- (?:end of )?glossary -->/)[1] ?? ''
const refused = glossary
  .split('\n')
  .flatMap((row) => [...(row.split('|')[3] ?? '').matchAll(/`([\w-]+)`/g)].map(([, word]) => word!))
if (refused.length === 0) throw new Error('ARCHITECTURE.md has no glossary')
const pattern = new RegExp(`(?:${refused.map(anySpelling).join('|')})s?(?![a-z])`, 'g')

/** `soon-heard` also matches soonHeard, keepSoonHeard, SOON_HEARD and "Soon heard". */
function anySpelling(word: string): string {
  const parts = word.split('-')
  const capital = (part: string) => part[0]!.toUpperCase() + part.slice(1)
  const small = [word, parts.join(' '), parts[0]! + parts.slice(1).map(capital).join('')]
  const large = [capital(word), capital(parts.join(' ')), parts.map(capital).join('')]
  const alternatives = (spellings: string[]) => [...new Set(spellings)].join('|')
  return `(?<![A-Za-z])(?:${alternatives(small)})|(?:${alternatives(large)})|(?<![A-Z])${parts.join('_').toUpperCase()}`
}

/**
 * *Song* is a word of the wire, of records and of texts for listeners: our own names and comments say *track*. The engine
 * is left out, whose commands and states are records.
 */
const TRACK_CODE = /^(packages\/(station|adapters)|apps\/[\w-]+)\/.*(?<!\.test)\.tsx?$/
const OUR_SONG =
  /\b(?:(?:function|class|interface) \w*[sS]ong(?!Ids?\b)\w*|type \w*[sS]ong\w* =)|^\s*(?:\/\*\*?|\*|\/\/)[^`]*\b[sS]ongs?\b(?!-)/g

const files = execFileSync('git', ['ls-files', 'packages', 'apps', 'docs', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((file) => /\.(ts|tsx|md|css)$/.test(file) && existsSync(join(root, file)))
  .filter((file) => !SPEAK_OF_EARLIER.some((earlier) => earlier.test(file)))

const found = files.flatMap((file) =>
  read(file)
    .split('\n')
    .flatMap((line, i) => {
      const songs = TRACK_CODE.test(file) ? line.matchAll(OUR_SONG) : []
      return [...line.replaceAll(STORED_NAMES, '').matchAll(pattern), ...songs].map(
        ([word]) => `${file}:${i + 1} ${word.trim()}: ${line.trim()}`,
      )
    }),
)
for (const one of found) console.error(one)
if (found.length > 0) {
  console.error(`${found.length} words that the glossary in ARCHITECTURE.md does not use`)
  process.exitCode = 1
}
