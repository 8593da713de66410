import { execFile } from 'node:child_process'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root, type Teardown, temporaryFolder } from './processes.ts'

/** A machine's wall clock that can be set while its processes run; their monotonic clocks are unaffected. */
export interface MachineClock {
  /** The environment of that machine's processes. */
  readonly env: Record<string, string>
  /** The time of that machine's wall clock, epoch ms. */
  nowMs(): number
  /** Moves it by this many ms. */
  step(byMs: number): void
}

/** Compiles the shim between processes and their clock; Linux only. */
export async function machineClock(t: Teardown): Promise<MachineClock> {
  const folder = await temporaryFolder(t)
  const [library, offset] = [join(folder, 'machine-clock.so'), join(folder, 'offset')]
  const source = join(root, 'tests/harness/processes/machine-clock.c')
  await promisify(execFile)('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
  writeFileSync(offset, Buffer.alloc(8))
  let offsetMs = 0
  return {
    env: { LD_PRELOAD: library, MACHINE_CLOCK: offset },
    nowMs: () => Date.now() + offsetMs,
    step(byMs) {
      offsetMs += byMs
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64LE(BigInt(offsetMs))
      // Written in place, because the processes have mapped this very file.
      const file = openSync(offset, 'r+')
      writeSync(file, bytes, 0, 8, 0)
      closeSync(file)
    },
  }
}
