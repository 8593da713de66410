import { mutationsOf } from '../mutation.ts'

/** The recorded broadcast: what is known of a moment, and its sound. */
export const aircheckMutations = mutationsOf('packages/station/src/aircheck', [
  [
    'what a recorder missed is described by the newest state',
    'sound.ts',
    'const former = speakers === null ? state : null',
    'const former = state',
    'tests/faults/aircheck.test.ts',
  ],
  [
    'a change of speakers within a song goes unnoticed',
    'part-cutter.ts',
    '[...markers, ...(speakers ?? [])].map',
    '[...markers].map',
    'tests/use-cases/aircheck.test.ts',
  ],
  [
    'a microphone that is closed stays open for the recording',
    'apps/stream-worker/src/audio/speakers.ts',
    'within[0]?.names.length === 0 ? within.slice(1) : within',
    'within.filter(({ names }) => names.length > 0)',
    'apps/stream-worker/src/audio/broadcast.test.ts',
  ],
  [
    'an hour keeps orders without what was paid',
    'hours.ts',
    'heard: await complete(recorded.heard)',
    'heard: recorded.heard',
    'tests/api/aircheck.test.ts',
  ],
  [
    'a part tells of an order, but not what was paid',
    'packages/station/src/donations/paid/with-payments.ts',
    "if (order?.type !== 'donated' ||",
    "if (order?.type !== 'requested' ||",
    'tests/faults/aircheck.test.ts',
  ],
  [
    'what was paid is unknown once an order was queued again',
    'packages/station/src/donations/paid/with-payments.ts',
    'donations.get(donationIdOf(order.id))',
    'donations.get(order.id)',
    'tests/faults/aircheck.test.ts',
  ],
  [
    'a show over midnight is listed on both days',
    'shows.ts',
    'fromMs <= from && from < untilMs',
    'from < untilMs',
    'tests/api/aircheck-shows.test.ts',
  ],
  [
    'a show ends at midnight',
    'shows.ts',
    'if (!last || endMs >= nowMs || knownMs - last.to > SHOW_PAUSE_MS) return shows',
    'if (last || endMs >= nowMs || knownMs > 0) return shows',
    'tests/api/aircheck-shows.test.ts',
  ],
  [
    'a frame of what follows belongs to a show',
    'apps/api/src/routes/aircheck.ts',
    'Math.floor(show.to) - 1',
    'Math.ceil(show.to) + 1',
    'tests/api/aircheck-shows.test.ts',
  ],
  [
    'a file breaks off when its parts are joined',
    'read.ts',
    'current = found',
    'throw error',
    'tests/use-cases/aircheck.test.ts',
  ],
])
