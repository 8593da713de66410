import { constants, setPriority } from 'node:os'

/** Gives a process the lowest priority, so that it never competes with the broadcast for the processor. */
export function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended already, or the system does not allow it.
  }
}
