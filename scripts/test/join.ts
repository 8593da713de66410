import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { root } from '../../tests/harness/processes/processes.ts'

/** In the text of a test that changes what others in its process would find, or measures that process. */
const isOfOwn = new RegExp(
  [
    String.raw`\bglobalThis\.|\(globalThis|\bt\.jobs\b|setFlagsFromString`,
    String.raw`\bprocess\.(chdir|cpuUsage|env|exit|memoryUsage|on|stderr|stdout)\b`,
    'harness/(held-timers|processes/(blocked|probe|small-disk|turns))',
    'node:(cluster|worker_threads)',
  ].join('|'),
)
/** In the text of a test that starts something. */
const isStarting =
  /harness\/(audio|browser\/browser|donations|people|processes|servers|stations)|node:child_process/
/** These start whole stations; one that fails beside others runs once more by itself. */
const isJourney = /^(scripts|tests\/(browser|cli|deployment|faults|journeys))\//
/** Of the tests that start something: more of them would go on, one after the other, when all else has ended. */
const MAX_TOGETHER = 6

interface Program {
  /** Path of its source, were there one. */
  name: string
  members: string[]
}

/**
 * Replaces tests that can share a process by programs that run several of them, one after the other: each process takes half a second
 * of CPU to load, and to compile what the next one needs again.
 *
 * @param built folder with the bundles of all files, to which the programs are added.
 * @returns the programs, and the files that are still to be run by themselves. Pure code is tested by one program per app or
 * package (`packages/playout/41 files.ts`); the others are named as a shell expands them: `tests/api/air/{on-air,queue-move}.test.ts`.
 */
export async function joinFiles(files: readonly string[], built: string): Promise<string[]> {
  const pure = new Map<string, string[]>()
  const starting = new Map<string, string[]>()
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8')
    if (isOfOwn.test(text) || isJourney.test(file)) continue
    const [part] = /^(apps|packages)\/[^/]+/.exec(file) ?? []
    const [kind, folder] = isStarting.test(text)
      ? [starting, part ? `${part}/src` : dirname(file)]
      : [pure, part ?? file]
    kind.set(folder, [...(kind.get(folder) ?? []), file])
  }
  const programs = [
    ...[...pure].map(([folder, members]) => ({ name: `${folder}/${members.length} files.ts`, members })),
    ...[...starting].flatMap(([folder, members]) => inPieces(folder, members)),
  ].filter(({ members }) => members.length > 1)
  for (const { name, members } of programs) {
    const path = builtAs(built, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, sourceOf(members, built))
  }
  const joined = new Set(programs.flatMap(({ members }) => members))
  return [...programs.map(({ name }) => name), ...files.filter((file) => !joined.has(file))]
}

function inPieces(folder: string, files: string[]): Program[] {
  const pieces = Math.ceil(files.length / MAX_TOGETHER)
  return Array.from({ length: pieces }, (_, piece) => {
    const members = files.filter((_, i) => i % pieces === piece)
    const names = members.map((file) => relative(folder, file).replace(/\.test\.ts$/, ''))
    return { name: `${folder}/{${names}}.test.ts`, members }
  })
}

/** Modules that are imported side by side would prepare what they need all at once. */
function sourceOf(members: string[], built: string): string {
  return members.map((file) => `await import(${JSON.stringify(builtAs(built, file))})`).join('\n')
}

const builtAs = (built: string, file: string) => join(built, file.replace(/ts$/, 'js'))
