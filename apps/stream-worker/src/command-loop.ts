import type { Ports } from '@solstice/adapters'
import { type Command, commandWithCuePoints } from '@solstice/playout'
import type { AirLease } from '@solstice/station'
import type { Air } from './air/air.ts'
import type { AirSound } from './air-sound.ts'
import type { LibraryFeed } from './feeds/library.ts'

/** Commands that cut the sound on air. In a chat any command may: it may end the pause or choose background music. */
const cuttingCommands = new Set<Command['type']>(['skip', 'switch-mode', 'pause-queue'])

/** Data that commands declare outdated. */
export interface Feeds {
  library: Pick<LibraryFeed, 'cuePoints' | 'outdate' | 'readCuePoints'>
  readClips(): Promise<void>
}

/** Applies commands in order until the air is left. @throws when they can no longer be read */
export async function processCommands(
  air: Air,
  lease: Pick<AirLease, 'commands'>,
  sound: Pick<AirSound, 'mixedUntilMs' | 'planChanged'>,
  feeds: Feeds,
  { clock, log }: Pick<Ports, 'clock' | 'log'>,
): Promise<void> {
  for await (const { id, asker, command } of lease.commands(air.state.appliedThrough, air.leaving)) {
    if (air.phase === 'leaving') return
    // With sound mixed ahead, the next entry begins at the first sample not mixed yet.
    const isCut = cuttingCommands.has(command.type) || air.state.onAir.phase === 'chat'
    const nowMs = Math.max(clock.nowMs(), isCut ? sound.mixedUntilMs : 0)
    air.passTime(nowMs)
    try {
      refreshFeeds(command, feeds)
      const known = commandWithCuePoints(command, feeds.library.cuePoints)
      air.take({ type: 'command', command: known, id }, nowMs, (outcome) => ({
        type: 'answer',
        asker,
        outcome: outcome!,
      }))
      sound.planChanged()
    } catch (error) {
      // A command unknown to this version must neither stop the air nor be read again forever.
      log.error({ err: error, command }, 'command not understood')
      const outcome = { ok: false, code: 'INTERNAL' } as const
      air.take({ type: 'unknown-command', id }, nowMs, () => ({ type: 'answer', asker, outcome }))
    }
  }
}

function refreshFeeds({ type }: Command, { library, readClips }: Feeds): void {
  if (type === 'library-changed' || type === 'settings-changed') library.outdate()
  if (type === 'clips-changed') void readClips()
  if (type === 'cue-points-changed') void library.readCuePoints()
}
