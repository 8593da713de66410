import {
  type Command,
  type Fact,
  type Input,
  type PlayoutState,
  upcoming,
  wantedPlaylists,
} from '@solstice/playout'
import { MINUTE, songs, switchTo } from './night-station.ts'
import { library, onAir, type randomFrom, stationFact, tracks } from './programme.ts'
import { add, ask, decide, remove, skip } from './queue-station.ts'

type Random = ReturnType<typeof randomFrom>

/** What an engine may be told next: whatever people, the sound, the library and time do. */
export function randomInput(random: Random, state: PlayoutState, nowMs: number): Input {
  const [wanted] = wantedPlaylists(state)
  if (wanted && random(3) > 0) return { type: 'fact', fact: library(libraryOf(random, wanted), wanted) }
  const picks = [command, command, sound, sound, fact, () => ({ type: 'time' }) as const]
  return picks[random(picks.length)]!(random, state, nowMs)
}

/** A host goes on the air. */
export const hostArrives: Input[] = [
  {
    type: 'fact',
    fact: {
      type: 'hosting',
      hosting: {
        isOn: true,
        slots: 3,
        guestRequestExpiryMs: MINUTE,
        guestCooldownMs: 0,
        guestMs: 5 * MINUTE,
        specialGuestMs: 5 * MINUTE,
      },
    },
  },
  {
    type: 'command',
    command: {
      type: 'go-live',
      speaker: { socketId: 'h', replica: 'r', uid: 'uid of h', address: '192.0.2.77' },
      adminId: 'account of h',
      login: 'Oksana',
      takeOver: false,
    },
  },
]

const known = new Map(
  [24, 5].map((size) => [size, { day: tracks(size, 4), night: songs('night').slice(0, size) }]),
)

/** Unchanged tracks are the same objects, as in the worker. */
function libraryOf(random: Random, mode: 'day' | 'night') {
  const all = known.get(random(4) ? 24 : 5)![mode]
  return all.flatMap((track) => {
    if (random(8) === 0) return []
    return random(8) ? [track] : [{ ...track, year: 1950 + random(70) }]
  })
}

function command(random: Random, state: PlayoutState, nowMs: number): Input {
  const queue = upcoming(state)
  const entry = queue[random(12)]
  const song = entry?.track ?? tracks(1)[0]!
  const speaker = { socketId: `g${random(3)}`, replica: 'r', uid: `u${random(3)}`, address: '198.51.100.7' }
  const commands: Command[] = [
    skip,
    add(song, random(2) ? 'donated' : 'requested', {
      tier: random(4),
      orderId: `o${random(9)}`,
      mode: state.mode,
    }),
    ask(`u${random(3)}`, song, state.mode),
    decide(`u${random(3)}`, random(2) ? 'add' : 'reject'),
    remove(random(12)),
    { type: 'move-entry', entryId: entry?.entryId ?? '', from: 1 + queue.indexOf(entry!), to: 1 + random(9) },
    switchTo(random(2) ? 'day' : 'night', random(2) ? null : nowMs + random(5 * MINUTE)),
    { type: 'cancel-switch' },
    { type: 'insert-group', mode: state.mode, tracks: tracks(3, 3, state.mode) },
    { type: 'library-changed' },
    {
      type: 'library-changed',
      settled: [{ trackId: song.id, track: random(2) ? { ...song, album: 'B' } : null }],
    },
    { type: 'settings-changed' },
    { type: 'release-track', trackId: song.id, purpose: 'remove' },
    { type: 'set-code', code: `secret-${random(2)}`, lifeMs: 3_600_000, isReplacing: true },
    { type: 'enter-by-code', speaker, nickname: 'Taras the guest', code: `secret-${random(2)}` },
    { type: 'request-guest', speaker, nickname: 'Taras the guest' },
    { type: 'answer-guest', uid: speaker.uid, action: 'accept' },
    { type: 'connect-guest', socketId: speaker.socketId },
    { type: 'pause-queue', socketId: 'h', when: random(2) ? 'now' : 'afterTrack' },
    { type: 'resume-queue', socketId: 'h' },
  ]
  return { type: 'command', command: commands[random(commands.length)]!, id: `${Math.floor(nowMs)}-0` }
}

function sound(random: Random, { onAir: air, ...state }: PlayoutState): Input {
  const entryId =
    air.phase === 'jingle'
      ? air.jingle.entryId
      : air.phase === 'chat'
        ? air.background.entryId
        : (onAir({ onAir: air, ...state })?.entryId ?? 'none')
  const facts = [
    { type: 'sound-ended', entryId },
    { type: 'sound-ended', entryId },
    { type: 'sound-ended', entryId },
    { type: 'unplayable', entryId },
    { type: 'blank', entryId, wasHeard: random(2) === 0 },
  ] as const
  return { type: 'fact', fact: facts[random(facts.length)]! }
}

function fact(random: Random, state: PlayoutState): Input {
  const clip = (id: string) => ({ id, media: `jingles/day/${id}.mp3`, durationMs: 4_000 })
  const usable = { day: ['a', 'b', 'c'].map(clip), night: [] }
  const measured = tracks(24)
    .filter(() => random(2))
    .map(({ id }) => [id, { gainDb: -random(9), startMs: random(500), endMs: null }])
  const facts: Fact[] = [
    stationFact(state.schedule, { queueSkipCooldownMs: random(2) * 1_000 }, state.pace),
    { type: 'cue-points', cuePoints: Object.fromEntries(measured) },
    {
      ...{ type: 'clips' },
      clips: { ...state.clips, jingles: { usable, required: 3, frequency: 'random' } },
    },
  ]
  return { type: 'fact', fact: facts[random(facts.length)]! }
}
