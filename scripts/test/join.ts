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
/** In the text of a test that prepares something for all of its tests: it would be torn down while those of another file run. */
const isPreparing = /^(?:(?:const|let) .*|await .*)?\b\w+\(t[,)]|^t\.(?:teardown|before|after)\(/m
/** In the text of a test that starts something. */
const isStarting =
  /harness\/(audio|browser\/browser|donations|people|processes|servers|stations)|node:child_process/
/** These start whole stations; one that fails beside others runs once more by itself. */
const isJourney = /^(scripts|tests\/(browser|cli|deployment|faults|journeys))\//
/** Of the tests that start something: more of them would go on, one after the other, when all else has ended. */
const MAX_TOGETHER = 5

/** Files that can share a process: they have a folder in common, and the kind of stores that one process has. */
interface Group {
  folder: string
  stores: string
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
  const pure: Group[] = []
  const starting: Group[] = []
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8')
    if (isOfOwn.test(text) || isPreparing.test(text) || isJourney.test(file)) continue
    const [part] = /^(apps|packages)\/[^/]+/.exec(file) ?? []
    const [, stores = ''] = /useStores\('(.*)'\)/.exec(text) ?? []
    if (isStarting.test(text)) add(starting, part ? `${part}/src` : dirname(file), stores, file)
    else if (part) add(pure, part, stores, file)
  }
  const programs = [
    ...pure.map(({ folder, members }) => ({ name: `${folder}/${members.length} files.ts`, members })),
    ...starting.flatMap(inPieces),
  ].filter(({ members }) => members.length > 1)
  for (const { name, members } of programs) {
    const path = builtAs(built, name)
    await mkdir(dirname(path), { recursive: true })
    const imports = members.map((file) => `import ${JSON.stringify(builtAs(built, file))}`)
    await writeFile(path, imports.join('\n'))
  }
  const joined = new Set(programs.flatMap(({ members }) => members))
  return [...programs.map(({ name }) => name), ...files.filter((file) => !joined.has(file))]
}

function add(groups: Group[], folder: string, stores: string, file: string): void {
  const group = groups.find((each) => each.folder === folder && each.stores === stores)
  if (group) group.members.push(file)
  else groups.push({ folder, stores, members: [file] })
}

function inPieces({ folder, members: all }: Group) {
  const pieces = Math.ceil(all.length / MAX_TOGETHER)
  return Array.from({ length: pieces }, (_, piece) => {
    const members = all.filter((_, i) => i % pieces === piece)
    const names = members.map((file) => relative(folder, file).replace(/\.test\.ts$/, ''))
    return { name: `${folder}/{${names}}.test.ts`, members }
  })
}

const builtAs = (built: string, file: string) => join(built, file.replace(/ts$/, 'js'))
