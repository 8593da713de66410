import { execFile } from 'node:child_process'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root, type Teardown, temporaryFolder } from './processes.ts'

/** The wall clock of a machine, which can be set while its processes run; their monotonic clocks go on as ever. */
export interface MachineClock {
  /** The environment of the processes of that machine. */
  readonly env: Record<string, string>
  /** What that machine's wall clock shows, epoch ms. */
  nowMs(): number
  /** Sets it, by so many ms from what it shows. */
  step(byMs: number): void
}

/** Compiles what stands between processes and their clock; Linux only. */
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
      // In place: the processes have mapped this very file.
      const file = openSync(offset, 'r+')
      writeSync(file, bytes, 0, 8, 0)
      closeSync(file)
    },
  }
}
