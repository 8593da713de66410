import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Process, type Teardown, temporaryFolder } from './processes.ts'

/** Longer than what makes a replica say that it is overloaded. */
const MIN_MS = 3_000

/**
 * Loaded into a process before its program: at SIGUSR2 a turn of its event loop begins that lasts as long as a file is there. It
 * computes nothing, so that other processes keep their share of the machine.
 */
const listener = `
import { existsSync, writeSync } from 'node:fs'
const nothing = new Int32Array(new SharedArrayBuffer(4))
process.on('SIGUSR2', () => {
  writeSync(2, 'blocked\\n')
  const untilMs = performance.now() + ${MIN_MS}
  while (performance.now() < untilMs || existsSync(process.env.BLOCKED_WHILE)) Atomics.wait(nothing, 0, 0, 20)
  writeSync(2, 'unblocked\\n')
})`

/** A process whose event loop can be blocked: its environment, and how. */
export interface Blocking {
  env: Record<string, string>
  /** Resolves once its event loop stands still; the result lets it go on, after 3 s at the earliest. */
  block(process: Process): Promise<() => Promise<void>>
}

export async function openBlocking(t: Teardown): Promise<Blocking> {
  const file = join(await temporaryFolder(t), 'blocked')
  return {
    env: {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(listener)}`,
      BLOCKED_WHILE: file,
    },
    async block(process) {
      await writeFile(file, '')
      process.child.kill('SIGUSR2')
      await process.printed(/^blocked$/m)
      return async () => {
        await rm(file)
        await process.printed(/^unblocked$/m)
      }
    },
  }
}
