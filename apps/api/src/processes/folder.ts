import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'solstice-api-'
const ownerPid = new RegExp(`^${PREFIX}(\\d+)-`)

/** Makes the private folder of a replica's sockets, and removes those that killed primaries left behind. */
export async function makeFolder(within = tmpdir()): Promise<string> {
  await removeAbandoned(within).catch(() => {})
  return mkdtemp(join(within, `${PREFIX}${process.pid}-`))
}

/** A container that restarts often has the process id of the one before. */
async function removeAbandoned(within: string): Promise<void> {
  for (const name of await readdir(within)) {
    const pid = Number(ownerPid.exec(name)?.[1] ?? 0)
    if (pid === 0 || (pid !== process.pid && isRunning(pid))) continue
    const folder = join(within, name)
    // Processes of a killed primary finish their work first.
    if (await isInUse(folder).catch(() => true)) continue
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** True when somebody listens on one of its sockets. */
async function isInUse(folder: string): Promise<boolean> {
  const answers = (await readdir(folder)).map(async (name) => {
    const line = connect(join(folder, name))
    try {
      await once(line, 'connect')
      return true
    } catch {
      return false
    } finally {
      line.destroy()
    }
  })
  return (await Promise.all(answers)).includes(true)
}
