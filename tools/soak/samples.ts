import { readdir } from 'node:fs/promises'
import type { Process } from '../../tests/harness/processes/processes.ts'
import { usageOf } from '../bench/usage.ts'
import { collect } from './collect.ts'
import type { Point } from './trend.ts'

/** Lines over time, by name. */
export type Lines = Map<string, Point[]>

export function addPoint(lines: Lines, name: string, atH: number, value: number): void {
  const points = lines.get(name) ?? []
  points.push({ atH, value })
  lines.set(name, points)
}

/** Adds what each process holds at the moment; handles are known on Linux only. */
export async function sampleProcesses(
  processes: ReadonlyMap<string, Process>,
  atH: number,
  { rssMb, handles }: { rssMb: Lines; handles: Lines },
): Promise<void> {
  for (const [name, { child }] of [...processes]) {
    const usage = await usageOf(child.pid!).catch(() => null)
    // It ended meanwhile.
    if (!usage || !Number.isFinite(usage.rssKb)) continue
    addPoint(rssMb, name, atH, usage.rssKb / 1024)
    const open = await readdir(`/proc/${child.pid}/fd`).catch(() => null)
    if (open) addPoint(handles, name, atH, open.length)
  }
}

/** Adds what is left in each process of the station once its garbage is collected. Redis has none. */
export async function sampleCollected(
  processes: ReadonlyMap<string, Process>,
  atH: number,
  { collectedMb, aliveMb }: { collectedMb: Lines; aliveMb: Lines },
): Promise<void> {
  for (const [name, process] of [...processes]) {
    if (name === 'redis') continue
    const left = await collect(process).catch(() => null)
    // It ended meanwhile.
    if (!left) continue
    addPoint(collectedMb, name, atH, left.rssMb)
    addPoint(aliveMb, name, atH, left.aliveMb)
  }
}
