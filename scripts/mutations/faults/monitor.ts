import { mutationsOf } from '../mutation.ts'

const JUDGE = 'apps/jobs/src/monitor/judge.test.ts'
const SOUND = 'apps/jobs/src/monitor/ear/sound.test.ts'
const SYNC = 'apps/jobs/src/monitor/told/sync.test.ts'

/** The station hears itself. */
export const monitorMutations = mutationsOf('apps/jobs/src/monitor', [
  [
    'the loudness of a track is asked for once, when it begins',
    'plan.ts',
    "if (measured !== '' && lufs === null) void measure(measured)",
    '',
    'plan.test.ts',
  ],
  [
    'a replica that repeats itself is blamed for old sound',
    'judge.ts',
    'if (repetition && (differingMs > 0',
    'if (repetition && !isFed && (differingMs > 0',
    JUDGE,
  ],
  [
    'frames that were broadcast again are a fault, whatever the file says',
    'judge.ts',
    '(differingMs > 0 || (frame === null && isDue))',
    '(differingMs >= 0 || (frame === null && isDue))',
    JUDGE,
  ],
  [
    'frames that an address leaves out are forgotten',
    'ear/comparison.ts',
    'if (frames !== null) countOn(frames)',
    'if (frames !== null && frames < 0) countOn(frames)',
    SOUND,
    'ear/listen.test.ts',
  ],
  [
    'a listener who is moved to the newest sound misses frames',
    'ear/listen.ts',
    'if (compared?.leftOut && nowMs - behindAtMs > CAUGHT_UP_MS)',
    'if (compared?.leftOut)',
    'ear/listen.test.ts',
  ],
  [
    'a hole in the broadcast goes unnoticed',
    'broadcast.ts',
    'if (last && frames > 0 && isFault(last, chunk))',
    'if (last && frames < 0 && isFault(last, chunk))',
    'sent.test.ts',
  ],
  [
    'a replica is blamed for a hole in the broadcast',
    'broadcast.ts',
    'skipped.findLast(({ after }) => after === frame)?.next ?? frame + 1',
    'frame + 1',
    'ear/listen.test.ts',
  ],
  [
    'a station whose Redis was emptied misses frames',
    'broadcast.ts',
    ' && !isCountedAnew(before, chunk, frameSamples)',
    '',
    'sent.test.ts',
  ],
  [
    'a loop of the music that ends just now is a fault',
    'ear/loops.ts',
    'end >= first; end -= QUARTER',
    'end >= sound.length; end -= QUARTER',
    SOUND,
  ],
  ['a socket may be silent', 'judge.ts', 'if (sinceMs > limits.syncMs)', 'if (sinceMs < 0)', JUDGE],
  [
    'a socket that is cut off has no time to connect again',
    'judge.ts',
    'if (!last || failingMs > 0) return new Map()',
    'if (!last) return new Map()',
    JUDGE,
  ],
  [
    'another track in sync than in the sound goes unnoticed',
    'told/sync.ts',
    'return { heardId: trackId, driftMs: 0 }',
    'return none',
    SYNC,
  ],
  [
    'people see the monitor in the list of listeners',
    'apps/api/src/sockets/gateway.ts',
    'isMonitor ? unseenSlot : roster.enter(socket.id)',
    'roster.enter(socket.id)',
    SYNC,
  ],
  [
    'an old proof hides a socket',
    'packages/adapters/src/auth/monitor-tokens.ts',
    'Math.abs(nowMs - Number(issuedAt)) > LIFE_MS',
    'nowMs < 0',
    SYNC,
  ],
  [
    'an alarm that was told while the store was away is told again',
    'packages/station/src/events/mail.ts',
    'untold.filter((event) => !wasMailed(event, alarms))',
    'untold',
    'tests/faults/alarms-spooled.test.ts',
  ],
  [
    'the sound of an alarm is lost with its process',
    'apps/jobs/src/monitor/evidence.ts',
    'if (mp3 && !isStored) await keep(mp3)',
    '',
    'tests/faults/alarms-spooled.test.ts',
  ],
  [
    'alarms are not told while the store is away',
    'apps/jobs/src/monitor/book.ts',
    'return isClosing ? undefined : tell()',
    'return',
    'tests/faults/alarms-spooled.test.ts',
  ],
  [
    'a monitor that lost its lease listens on',
    'packages/adapters/src/redis/leases/leases.ts',
    'if (!(await take())) losing.abort',
    'if (!(await take()) && keys.length === 0) losing.abort',
    'packages/adapters/src/redis/limits/delete-quota.test.ts',
  ],
])
