import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { root } from '../../tests/harness/processes/processes.ts'

/** In the text of a test that starts something, or changes what other tests in its process would find. */
const isOfOwn = new RegExp(
  [
    String.raw`\b(globalThis|process)\.\w|\(globalThis|\bt\.jobs\b|setFlagsFromString`,
    'harness/(audio|browser/browser|held-timers|people|processes|servers|stations)',
    'node:(child_process|cluster|worker_threads)',
  ].join('|'),
)

/**
 * Replaces the tests of pure code, which take less time than the start of a process for each, by one program per app or package that
 * runs them all.
 *
 * @param built folder with the bundles of all files, to which the programs are added.
 * @returns the programs, and the files that are still to be run by themselves.
 */
export async function joinPure(files: readonly string[], built: string): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
  const folders = new Map<string, string[]>()
  for (const [i, file] of files.entries()) {
    const [folder] = /^(?:apps|packages)\/[^/]+\//.exec(file) ?? []
    if (folder && !isOfOwn.test(texts[i]!)) folders.set(folder, [...(folders.get(folder) ?? []), file])
  }
  const programs = new Map(
    [...folders]
      .filter(([, members]) => members.length > 1)
      .map(([folder, members]) => [`${folder}${members.length} files.ts`, members]),
  )
  for (const [program, members] of programs) {
    const imports = members.map(
      (file) => `import './${relative(dirname(program), file).replace(/ts$/, 'js')}'`,
    )
    await writeFile(join(built, program.replace(/ts$/, 'js')), imports.join('\n'))
  }
  const joined = new Set([...programs.values()].flat())
  return [...programs.keys(), ...files.filter((file) => !joined.has(file))]
}
