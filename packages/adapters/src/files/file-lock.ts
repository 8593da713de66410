import { createHash, randomUUID } from 'node:crypto'
import { closeSync, openSync, readFileSync, readlinkSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { sleep } from '@solstice/station'

/** A lock among the processes of a host. */
export interface FileLock {
  /** False once another process has taken it over, because this one seemed dead. */
  isHeld(): boolean
  release(): void
}

export interface LockTimeouts {
  /** Age at which the lock of another machine's process, which cannot be checked, counts as abandoned. */
  deadAfterMs: number
  /** How long one living holder may keep the lock before waiting fails. */
  giveUpAfterMs: number
}

interface Owner {
  /** The scope of a process id: one boot of one machine and one pid namespace. */
  place: string
  pid: number
  /** Start of the process in clock ticks, because process ids are reused; null where it cannot be known. */
  born: string | null
}

/** A lock is signed microseconds after it is created, unless its holder is killed right then. */
const UNSIGNED_MS = 1_000

const self = describeSelf()

/**
 * Acquires a lock file, waiting for its holder; the lock of a dead process is taken over.
 *
 * @throws when a living process does not let go, or the file cannot be written.
 */
export async function lockFile(
  path: string,
  timeouts: LockTimeouts = { deadAfterMs: 10_000, giveUpAfterMs: 20_000 },
): Promise<FileLock> {
  const mine = JSON.stringify({ ...self, token: randomUUID() })
  let watched = { identity: '', sinceMs: 0 }
  while (!create(path, mine)) {
    const holder = inspect(path)
    const nowMs = performance.now()
    if (holder) {
      if (holder.identity !== watched.identity) watched = { identity: holder.identity, sinceMs: nowMs }
      const heldMs = nowMs - watched.sinceMs
      if (isDead(holder.owner, heldMs, timeouts)) {
        await removeLeftBehind(path, holder.identity, timeouts)
        continue
      }
      if (heldMs > timeouts.giveUpAfterMs)
        throw new Error(
          `${path} is held by process ${holder.owner?.pid ?? '(unknown)'}, which does not let go`,
        )
    }
    await sleep(2 + Math.random() * 4)
  }
  const isHeld = () => read(path) === mine
  return {
    isHeld,
    release() {
      if (isHeld()) unlinkSync(path)
    },
  }
}

/**
 * Of all processes that see the same dead holder, only one at a time may remove its lock, and only while it is still that
 * one: otherwise a slow process would remove a successor's. This right is itself a lock, named after the dead holder.
 */
async function removeLeftBehind(path: string, identity: string, timeouts: LockTimeouts): Promise<void> {
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 16)
  const right = await lockFile(`${path}.${name}`, timeouts)
  try {
    if (inspect(path)?.identity === identity) unlinkSync(path)
  } finally {
    right.release()
  }
}

function create(path: string, content: string): boolean {
  const file = unless('EEXIST', () => openSync(path, 'wx', 0o600))
  if (file === null) return false
  try {
    writeSync(file, content)
    return true
  } catch (error) {
    unlinkSync(path)
    throw error
  } finally {
    closeSync(file)
  }
}

/** The holder of the lock; `owner` is null for an unsigned or foreign file. */
function inspect(path: string): { identity: string; owner: Owner | null } | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  const content = read(path)
  if (!stat || content === null) return null
  return { identity: `${stat.ino} ${stat.mtimeNs} ${content}`, owner: parseOwner(content) }
}

function parseOwner(content: string): Owner | null {
  try {
    const { place, pid, born } = JSON.parse(content)
    return typeof place === 'string' && Number.isSafeInteger(pid) ? { place, pid, born: born ?? null } : null
  } catch {
    return null
  }
}

function isDead(owner: Owner | null, heldMs: number, timeouts: LockTimeouts): boolean {
  if (owner === null) return heldMs > Math.min(UNSIGNED_MS, timeouts.deadAfterMs)
  if (owner.place !== self.place) return heldMs > timeouts.deadAfterMs
  if (self.born !== null) return startOf(owner.pid) !== owner.born
  try {
    process.kill(owner.pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function describeSelf(): Owner {
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim()
  let place = hostname()
  try {
    if (boot) place = `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    // Not Linux: process ids are those of the whole machine.
  }
  return { place, pid: process.pid, born: startOf(process.pid) }
}

/** When a process started, in clock ticks since the boot: field 22 of proc_pid_stat(5); null when it is gone. */
function startOf(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === null) return null
  // The second field is the command in parentheses and may hold anything, so fields are counted after its end.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' || state === 'X' ? null : (fields[18] ?? null)
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function unless<T>(code: string, act: () => T): T | null {
  try {
    return act()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return null
    throw error
  }
}
