import type { Ports } from '@solstice/adapters'
import { type PlayoutState, projectAir } from '@solstice/playout'
import type { MediaKey } from '@solstice/station'
import type { Air } from '../air/air.ts'
import { aboutEntry } from '../audio/sequencer/air-entry.ts'
import { type ComingEntry, createNextFile } from './next-file.ts'
import { filesToPrefetch, needsSameFiles } from './prefetch.ts'

/**
 * Looks ahead at each change, and once at the start: in stream mode the next files are fetched from a bucket to this
 * machine; in sync mode, where listeners play the files directly, the next one is checked to exist.
 *
 * @param find throws Failure NOT_FOUND for a file that is missing.
 */
export function lookAhead(
  air: Air,
  { config, media, clock, log }: Pick<Ports, 'config' | 'media' | 'clock' | 'log'>,
  find: (key: MediaKey) => Promise<void>,
): void {
  const hasSound = air.state.pace === 'sound'
  const leaveOut = (entryId: string) => air.tell({ type: 'unplayable', entryId })
  const nextFile = createNextFile(find, leaveOut, log, air.leaving)
  let ahead: PlayoutState | null = null
  const look = () => {
    if (ahead && needsSameFiles(ahead, air.state)) return
    ahead = air.state
    if (!hasSound) nextFile.follow(comingEntry(ahead, clock.nowMs()))
    else if (config.mediaStorage !== 'local') media.prefetch(filesToPrefetch(ahead, clock.nowMs()))
  }
  air.follow(look)
  look()
}

/** The entry that currently follows the one on air. */
function comingEntry(state: PlayoutState, nowMs: number): ComingEntry | null {
  const { next } = projectAir(state, nowMs)
  const media = next && aboutEntry(next).media
  return next && media !== null ? { entryId: next.entryId, media } : null
}
