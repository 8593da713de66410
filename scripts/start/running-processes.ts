import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Command line and working folder of a process; both '' when it does not exist. */
export async function describeProcess(pid: number): Promise<{ command: string; folder: string }> {
  const [command, folder] = await Promise.all(
    process.platform === 'linux'
      ? [readFile(`/proc/${pid}/cmdline`, 'utf8'), readlink(`/proc/${pid}/cwd`)].map(orNothing)
      : [
          run('ps', ['-o', 'args=', '-p', `${pid}`]),
          run('lsof', ['-a', '-d', 'cwd', '-Fn', '-p', `${pid}`]),
        ].map((output) => orNothing(output.then(({ stdout }) => stdout))),
  )
  return {
    command: (command ?? '').replaceAll('\0', ' ').trim(),
    folder: /^n(.*)$/m.exec(folder ?? '')?.[1] ?? folder ?? '',
  }
}

function orNothing(text: Promise<string>): Promise<string> {
  return text.catch(() => '')
}
