import { mutationsOf } from './mutation.ts'

const streamMutations = mutationsOf('apps/api/src/stream', [
  [
    'a metadata block comes one byte late',
    'icy.ts',
    'const block = metadataBlock(titleAt(at))\n    parts.push(audio.subarray(from, at), block)',
    'const block = metadataBlock(titleAt(at))\n    parts.push(audio.subarray(from, ++at), block)',
    'icy.test.ts',
  ],
  [
    'a quote of a title ends its block',
    'icy.ts',
    'cut(harmless(title), room)',
    'cut(title, room)',
    'icy.test.ts',
  ],
  [
    'a frame that starts at a byte is heard behind it',
    'ring.ts',
    'findLastIndex((start) => start <= byte)',
    'findLastIndex((start) => start < byte)',
    'icy.test.ts',
  ],
  [
    'the first frame of a chunk cannot be resumed from',
    'ring.ts',
    'chunk.frame <= frameNumber && frameNumber < chunk.frame + chunk.frames',
    'chunk.frame < frameNumber && frameNumber < chunk.frame + chunk.frames',
    'fan-out.test.ts',
  ],
  [
    'a listener who resumes misses a frame',
    'fan-out.ts',
    'frameStarts(resumed.chunk.audio)[from! - resumed.chunk.frame] ?? 0',
    'frameStarts(resumed.chunk.audio)[from! - resumed.chunk.frame + 1] ?? 0',
    'fan-out.test.ts',
  ],
  [
    'a repeated chunk is heard twice',
    'air-mirror.ts',
    'if (chunk.frame < expected && isRepeated(newest, chunk)) return',
    '',
    'air-mirror.test.ts',
  ],
  [
    'sound that ended a minute ago is fresh',
    'air-mirror.ts',
    'const STALE_MS = 10_000',
    'const STALE_MS = 60_000',
    'air-mirror.test.ts',
  ],
])

const workerMutations = mutationsOf('apps/stream-worker/src/audio', [
  [
    'the successor of an encoder is fed one frame too few',
    'encoder.ts',
    'launchedAt = delivered - PRIMING_FRAMES\n    fed = launchedAt',
    'launchedAt = delivered - PRIMING_FRAMES + 1\n    fed = launchedAt',
    'broadcast.test.ts',
  ],
  [
    'the delay of the encoder is another one',
    'encoder.ts',
    'const DELAY_SAMPLES = 1105',
    'const DELAY_SAMPLES = 576',
    'broadcast.test.ts',
  ],
  [
    'an encoder begins with one frame of its past',
    'encoder.ts',
    'export const PRIMING_FRAMES = 4',
    'export const PRIMING_FRAMES = 1',
    'broadcast.test.ts',
  ],
  [
    'a gain is forgotten without a fade',
    'mixer.ts',
    'const level = fade === null || isOver(fade, at) ? gain : null',
    'const level = fade === null || isOver(fade, at) ? 1 : null',
    'mixer.test.ts',
  ],
  [
    'fades are linear',
    'mixer.ts',
    "fade.level * (fade.direction === 'in' ? Math.sin(quarter) : Math.cos(quarter))",
    "fade.level * (fade.direction === 'in' ? quarter / (Math.PI / 2) : 1 - quarter / (Math.PI / 2))",
    'mixer.test.ts',
  ],
  [
    'the limiter lets go ten times as fast',
    'mixer.ts',
    'const RELEASE_SAMPLES = 4410',
    'const RELEASE_SAMPLES = 441',
    'mixer.test.ts',
  ],
  [
    'the limiter does not look ahead',
    'mixer.ts',
    'most = Math.min(1, most * ATTACK, FULL_SCALE / peak)',
    'most = Math.min(1, FULL_SCALE / peak)',
    'mixer.test.ts',
  ],
  [
    'a phrase is three times as loud instead of nine',
    'programme-sound.ts',
    'const PHRASE_GAIN = 9',
    'const PHRASE_GAIN = 3',
    'broadcast.test.ts',
    'loudness.test.ts',
    'tests/journeys/jingles.test.ts',
  ],
  [
    'music steps back to one half under speech',
    'microphones.ts',
    'export const DUCKED = 0.16',
    'export const DUCKED = 0.5',
    'microphones.test.ts',
    'chat.test.ts',
  ],
  [
    'missing seconds are made up for up to one second',
    'broadcast.ts',
    'const MADE_UP_MS = 15_000',
    'const MADE_UP_MS = 1_000',
    'broadcast.test.ts',
  ],
  [
    'missing seconds are made up for up to one second, as listeners hear it',
    'broadcast.ts',
    'const MADE_UP_MS = 15_000',
    'const MADE_UP_MS = 1_000',
    'tests/journeys/failures.test.ts',
  ],
  [
    'a song without sound is left after a minute',
    'programme-sound.ts',
    'const LONGEST_SILENCE_SAMPLES = 8 * SAMPLE_RATE',
    'const LONGEST_SILENCE_SAMPLES = 60 * SAMPLE_RATE',
    'broadcast.test.ts',
    'loudness.test.ts',
  ],
  [
    'speech is limited at full scale',
    'speech-limiter.ts',
    'export const SPEECH_CEILING = 26_000',
    'export const SPEECH_CEILING = 32_000',
    'microphones.test.ts',
  ],
  [
    'what lies below speech is heard',
    'microphone.ts',
    'const HIGH_PASS_HZ = 90',
    'const HIGH_PASS_HZ = 9',
    'microphones.test.ts',
  ],
])

const loudnessMutations = mutationsOf('packages/station/src', [
  [
    'peaks reach full scale',
    'loudness.ts',
    'const CEILING_DBTP = -1',
    'const CEILING_DBTP = 0',
    'packages/adapters/src/loudness.test.ts',
    'tests/loudness.test.ts',
  ],
  [
    'one channel is softer than two',
    'loudness.ts',
    'isMono && rules.streamMode ? MONO_LOSS_DB : 0',
    '0',
    'packages/adapters/src/loudness.test.ts',
    'tests/loudness.test.ts',
  ],
  [
    'only the offset of the day before counts when the clocks change',
    'wall-clock.ts',
    'const offsets = [asUtc - 86_400_000, asUtc + 86_400_000].map((atMs) => offsetMs(atMs, timeZone))',
    'const offsets = [asUtc - 86_400_000].map((atMs) => offsetMs(atMs, timeZone))',
    'wall-clock.test.ts',
  ],
])

const webMutations = mutationsOf('apps/web/src/radio', [
  [
    'a page drifts by seconds before it jumps',
    'drift.ts',
    'const JUMP_BEYOND_S = 0.35',
    'const JUMP_BEYOND_S = 3.5',
    'apps/web/src/listening.test.ts',
  ],
  [
    'a landing too late makes the next one later',
    'drift.ts',
    'leadS + landedBehindS',
    'leadS - landedBehindS',
    'apps/web/src/listening.test.ts',
  ],
  [
    'the clock of the station is taken for that of the sending',
    'clock.ts',
    'sample.serverMs - (sample.sentMs + sample.receivedMs) / 2',
    'sample.serverMs - sample.sentMs',
    'apps/web/src/listening.test.ts',
  ],
  [
    "the page plays by its own clock, not by the station's",
    'sync-player.ts',
    'positionAt(airing, connection.stationNowMs())',
    'positionAt(airing, localNowMs())',
    'tests/browser/sync.test.ts',
  ],
])

export const soundMutations = [...streamMutations, ...workerMutations, ...loudnessMutations, ...webMutations]
