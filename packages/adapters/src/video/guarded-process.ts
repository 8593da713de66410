import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import type { Readable } from 'node:stream'

/** What the guard ends with when there is no such program, as shells do. */
export const NOT_FOUND_STATUS = 127
/** What a dead program's output may still take to be read. */
const LAST_WORDS_MS = 1_000

/**
 * Runs beside the program and outlives us for a moment: when its input ends, because we say so or are dead, the whole
 * process group of the program is killed and its folder removed.
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

/**
 * Runs a program that must not outlive what it is for, without a shell, at the lowest priority, and resolves with the status
 * that it ends with. Once `stopping` is aborted it is killed with everything that it has started, and so it is
 * when this process dies; its folder is removed then.
 *
 * @param options.maxBytes that it may print in all; what prints more is killed, which is a status other than 0.
 * @param options.onLine for every line that it prints, to whichever output.
 * @throws the reason of `stopping`.
 */
export async function runGuarded(
  program: string,
  args: string[],
  options: {
    folder: string
    env: Record<string, string>
    stopping: AbortSignal
    maxBytes: number
    onLine(line: string): void
  },
): Promise<number> {
  const { folder, env, stopping, maxBytes } = options
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
      options.onLine,
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
    if (guard.pid !== undefined) setPriorityOf(guard.pid)
    guard.once('exit', () => {
      const read = () => [...outputs, pidOut].forEach((output) => void output.destroy())
      setTimeout(read, LAST_WORDS_MS).unref()
    })
    const [code] = (await once(guard, 'close')) as [number | null]
    // Then somebody has killed the guard, and nobody the program.
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

function setPriorityOf(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended already, or the system does not allow it.
  }
}

/** @param takes says whether a piece of so many bytes is still read. */
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
