import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { Failure } from '@solstice/station'
import { bareEnvironment } from '../process/started-programs.ts'
import { type GuardedRun, NOT_FOUND_STATUS, runGuarded } from './guarded-process.ts'
import { MAX_PRINTED_BYTES } from './limits.ts'

/** An operator who installs a program should not have to restart the station. */
const LOOKUP_TTL_MS = 60_000
/** Programs print their version at once, or hang. */
const VERSION_TIMEOUT_MS = 10_000

/** Programs run in temporary folders, so relative paths are resolved against ours. */
export function programPath(program: string): string {
  return program.includes(sep) ? resolve(program) : program
}

/** Runs a program in a folder of its own. @throws Failure TOOL_UNAVAILABLE; the reason of `stopping`. */
export async function runProgram(
  program: string,
  args: string[],
  options: Pick<GuardedRun, 'folder' | 'stopping' | 'onLine'>,
): Promise<number> {
  const env = environment(options.folder)
  const status = await runGuarded(program, args, { maxBytes: MAX_PRINTED_BYTES, env, ...options })
  if (status === NOT_FOUND_STATUS) throw new Failure('TOOL_UNAVAILABLE')
  return status
}

/** Tells whether a program can be run; `versionFlag` is an argument that it answers at once. */
export function createProgramLookup(): (program: string, versionFlag: string) => Promise<boolean> {
  const lookups = new Map<string, { atMs: number; isInstalled: Promise<boolean> }>()
  return (program, versionFlag) => {
    const known = lookups.get(program)
    if (known && performance.now() - known.atMs < LOOKUP_TTL_MS) return known.isInstalled
    const isInstalled = promisify(execFile)(program, [versionFlag], {
      timeout: VERSION_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      env: environment(tmpdir()),
    }).then(
      () => true,
      () => false,
    )
    lookups.set(program, { atMs: performance.now(), isInstalled })
    return isInstalled
  }
}

/** Programs find no settings of the operator, and leave nothing in their home. */
function environment(folder: string): Record<string, string> {
  return {
    ...bareEnvironment(),
    HOME: folder,
    TMPDIR: folder,
    LANG: 'C.UTF-8',
    XDG_CONFIG_HOME: folder,
    XDG_CACHE_HOME: folder,
    YTDLP_NO_PLUGINS: '1',
  }
}
