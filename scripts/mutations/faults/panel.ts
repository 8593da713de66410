import { mutationsOf } from '../mutation.ts'

const MOVE = 'queue/move-entry.test.ts'
const INSERT = 'clips/insert-jingle.test.ts'

/** Rules of the engine for admins at the panel. */
export const deskMutations = mutationsOf('packages/playout/src', [
  [
    'an entry is moved past one of another kind',
    'queue/move-entry.ts',
    'if (passed.some(({ orderType }) => orderType !== entry.orderType)) return null',
    '',
    MOVE,
  ],
  [
    'a paid track is moved by hand',
    'queue/move-entry.ts',
    "if (entry.orderType === 'donated') return refuse({ reason: 'donated' })",
    '',
    MOVE,
  ],
  [
    'the next track, which is fetched already, is moved',
    'queue/move-entry.ts',
    "if (lockOf(state, entry.track.id)) return refuse({ reason: 'locked' })",
    '',
    MOVE,
  ],
  [
    'of two admins who move at once, the slower moves another entry',
    'queue/move-entry.ts',
    'const entry = shownQueue(state, from)[from - 1]',
    'const entry = shownQueue(state).find((candidate) => candidate.entryId === entryId)',
    MOVE,
  ],
  [
    'a move puts a track next to itself',
    'queue/move-entry.ts',
    'sameBesides(moved, first, last) > sameBesides(state, first, last)',
    'false',
    MOVE,
  ],
  [
    'moving knows no cooldown',
    'queue/move-entry.ts',
    'return accepted({ ...moved, lastRemoveMs: nowMs }, { track: entry.track })',
    'return accepted(moved, { track: entry.track })',
    MOVE,
  ],
  [
    'a jingle is put next while the queue rests',
    'clips/insert-jingle.ts',
    "if (isPaused) return { reason: 'paused' }",
    '',
    INSERT,
  ],
  [
    'a jingle is put next where too few are on',
    'clips/insert-jingle.ts',
    "return areOn(state) ? null : { reason: 'too_few' }",
    'return null',
    INSERT,
  ],
  [
    'taking back a jingle takes back the one that another admin put since',
    'clips/insert-jingle.ts',
    "if (state.nextJingleId !== clipId) return refused(state, 'JINGLE_CANCEL_FAILED', { reason: 'gone' })",
    '',
    INSERT,
  ],
])

const CUES = 'tests/api/library/cue-points.test.ts'
const PAGE = 'tests/api/library/library-page.test.ts'
const UNQUEUED = 'tests/api/donations/unqueued.test.ts'

/** Use cases of the panel. */
export const panelMutations = mutationsOf('packages/station/src', [
  [
    'cue points leave less than a second of a track',
    'tracks/cue-points.ts',
    'if (cueOut !== null && cueOut < start + MIN_HEARD_S)',
    'if (cueOut !== null && cueOut < start)',
    CUES,
  ],
  [
    'other admins do not learn of new cue points',
    'tracks/cue-points.ts',
    "announcer.announce('library_updated')",
    '',
    CUES,
  ],
  [
    'the worker does not learn of new cue points',
    'tracks/cue-points.ts',
    "await bus.send({ type: 'cue-points-changed' })",
    'await Promise.resolve()',
    CUES,
  ],
  [
    'changed cue points are not in the audit log',
    'tracks/cue-points.ts',
    "await audit.record(actor, 'edit_song_meta', { title, artist }, { changes })",
    '',
    CUES,
  ],
  [
    'unknown values come first when sorted downwards',
    'tracks/page.ts',
    'return Number(hasB) - Number(hasA)',
    'return sign * (Number(hasB) - Number(hasA))',
    PAGE,
  ],
  [
    'a locked track is counted as free',
    'tracks/page.ts',
    'now[locked(one.bits)]!++',
    'now[one.bits]!++',
    PAGE,
  ],
  [
    'a page of filtered rows begins at the offset of all rows',
    'tracks/page.ts',
    'const first = wanted === 0 ? Math.min(offset, found.rows.length) : 0',
    'const first = Math.min(offset, found.rows.length)',
    PAGE,
  ],
  [
    'an order of which nobody knows that it found no place is queued again',
    'donations/paid/unqueued.ts',
    'if (!isWaiting) throw notUnqueued(now)',
    '',
    UNQUEUED,
  ],
  [
    'a track that the queue is sure to refuse is queued again',
    'donations/paid/unqueued.ts',
    "if (obstacle) throw new Failure('SONG_NOT_ORDERABLE', obstacle)",
    '',
    UNQUEUED,
  ],
  [
    'queueing an order again is not in the audit log',
    'donations/paid/unqueued.ts',
    "await audit.record(actor, 'donation_requeue', about(now))",
    '',
    UNQUEUED,
  ],
  [
    'an order that is on air is marked as paid back',
    'donations/paid/unqueued.ts',
    "if (now.status !== 'paid_back') throw notUnqueued(now)",
    '',
    UNQUEUED,
  ],
  [
    'a donor is not told that the money was paid back',
    'donations/paid/unqueued.ts',
    "announcer.tell({ uid: now.uid }, 'donation_result', result)",
    'void result',
    UNQUEUED,
  ],
])

const BACKUP = 'tests/api/backup.test.ts'

export const panelRouteMutations = mutationsOf('apps/api/src', [
  [
    'several backups are written at once',
    'routes/backup.ts',
    "if (isRunning) throw new Failure('BACKUP_RUNNING')",
    '',
    BACKUP,
  ],
  [
    'a backup goes on when its super admin is no longer one',
    'routes/backup.ts',
    'const mayGoOn = async () => void (await app.gate.admit(administration.downloadBackup, request, 0))',
    'const mayGoOn = async () => {}',
    BACKUP,
  ],
  [
    'a backup is downloaded without a trace',
    'routes/backup.ts',
    "await audit.record(caller, 'backup_download', { media: query.media })",
    '',
    BACKUP,
  ],
  [
    'the history of a day shows what is on air',
    'packages/station/src/requests/history.ts',
    'item.playedAt < untilMs && !isOnAir(item))',
    'item.playedAt < untilMs)',
    'routes/listening/listening.test.ts',
  ],
])
