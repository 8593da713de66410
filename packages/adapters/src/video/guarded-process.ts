import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { lowerPriority } from '../process/low-priority.ts'

/** The status for a program that does not exist, as in shells. */
export const NOT_FOUND_STATUS = 127
/** Output that is still buffered when the guard ends is read for this long; a grandchild may keep the pipe open. */
const DRAIN_TIMEOUT_MS = 1_000

/**
 * The guard: runs beside the program and briefly outlives this process. When its input ends, because it is closed here or
 * this process died, it kills the program's process group and removes its folder.
 */
const GUARD = `
const { spawn } = require('node:child_process')
const { rmSync, writeSync } = require('node:fs')
const [folder, program, ...args] = process.argv.slice(1)
const child = spawn(program, args, { cwd: folder, detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
const kill = () => { try { process.kill(-child.pid, 'SIGKILL') } catch {} }
let dropped = false
if (child.pid) writeSync(3, String(child.pid))
child.on('error', () => process.exit(${NOT_FOUND_STATUS}))
child.on('exit', (code) => {
  kill()
  if (dropped) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  process.exit(code ?? 1)
})
process.stdin.on('error', () => {}).on('close', () => {
  dropped = true
  kill()
}).resume()
`

export interface GuardedRun {
  /** The working folder; removed when the program is killed. */
  folder: string
  env: Record<string, string>
  stopping: AbortSignal
  /** Of both outputs together; a program that prints more is killed, which is a status other than 0. */
  maxBytes: number
  /** Called for every line of either output. */
  onLine(line: string): void
}

/**
 * Runs a program without a shell, at the lowest priority, and resolves with its exit status. When `stopping` is aborted, or
 * this process dies, it is killed with everything that it has started.
 *
 * @throws the reason of `stopping`.
 */
export async function runGuarded(
  program: string,
  args: string[],
  { folder, env, stopping, maxBytes, onLine }: GuardedRun,
): Promise<number> {
  stopping.throwIfAborted()
  const guard = spawn(process.execPath, ['-e', GUARD, '--', folder, program, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  })
  const pidOut = guard.stdio[3] as Readable
  const outputs = [guard.stdout as Readable, guard.stderr as Readable]
  let pid = 0
  const drop = () => {
    guard.stdin?.destroy()
    killGroup(pid)
  }
  let isTooMuch = false
  let bytes = 0
  for (const output of outputs) {
    onLines(
      output,
      (piece) => {
        bytes += piece
        if (bytes <= maxBytes || isTooMuch) return !isTooMuch
        isTooMuch = true
        drop()
        return false
      },
      onLine,
    )
  }
  pidOut
    .on('error', () => {})
    .on('data', (text: Buffer) => {
      pid = Number(text)
      if (stopping.aborted || isTooMuch) drop()
    })
  guard.stdin?.on('error', () => {})
  stopping.addEventListener('abort', drop)
  try {
    lowerPriority(guard.pid)
    guard.once('exit', () => {
      const read = () => [...outputs, pidOut].forEach((output) => void output.destroy())
      setTimeout(read, DRAIN_TIMEOUT_MS).unref()
    })
    const [code] = (await once(guard, 'close')) as [number | null]
    // The guard itself was killed, so the program still runs.
    if (code === null) killGroup(pid)
    stopping.throwIfAborted()
    return code ?? 1
  } finally {
    stopping.removeEventListener('abort', drop)
    guard.stdin?.destroy()
  }
}

function killGroup(pid: number): void {
  try {
    if (pid > 0) process.kill(-pid, 'SIGKILL')
  } catch {
    // They have ended already.
  }
}

/** @param takes whether a piece of this size is still read. */
function onLines(output: Readable, takes: (bytes: number) => boolean, onLine: (line: string) => void): void {
  let begun = ''
  output.setEncoding('utf8')
  output.on('error', () => {})
  output.on('data', (text: string) => {
    if (!takes(Buffer.byteLength(text))) {
      begun = ''
      return
    }
    const lines = text.split('\n')
    lines[0] = begun + lines[0]
    begun = lines.pop()!
    for (const line of lines) onLine(line)
  })
  output.on('end', () => begun && onLine(begun))
}
