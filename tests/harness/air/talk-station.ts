import {
  apply,
  type Chat,
  type ClipRef,
  type Command,
  type Fact,
  initialState,
  learn,
  nobodyLive,
  type PlayoutState,
  queuePage,
  type Schedule,
  type SongOrder,
  type Step,
  type UsableClips,
} from '@solstice/playout'
import { alwaysDay, host, NOON, noClips, track, tracks, withLists } from './programme.ts'

export const SECOND = 1_000

export const MINUTE = 60_000

export const HOUR = 60 * MINUTE

export const pause = (when: 'now' | 'afterTrack' = 'now', socketId = 'h'): Command => ({
  type: 'pause-queue',
  socketId,
  when,
})

export const goOn: Command = { type: 'resume-queue', socketId: 'h' }

export const choose = (clipId: string | null): Command => ({
  type: 'choose-background',
  socketId: 'h',
  clipId,
})

export const order = (song: Partial<SongOrder> = {}): Command => ({
  type: 'add-song',
  track: track('ordered'),
  mode: 'day',
  orderType: 'donated',
  tier: null,
  ...song,
})

export function music(id: string, durationMs: number | null = 20 * SECOND): ClipRef {
  return { id, media: `background/day/${id}.mp3`, durationMs }
}

export function backgroundFact(
  day: ClipRef[],
  chosenBy: UsableClips['background']['chosenBy'] = 'random',
  night: ClipRef[] = [],
): Fact {
  return { type: 'clips', clips: { ...noClips, background: { usable: { day, night }, chosenBy } } }
}

export const withHost = (state: PlayoutState): PlayoutState => ({
  ...state,
  live: { ...nobodyLive, participants: [host('h')] },
})

/** A station in stream mode with a host on the air. */
export function talkStation(schedule: Schedule = alwaysDay, clips = backgroundFact([])): PlayoutState {
  const state = withHost(initialState(7, 'sound', schedule, NOON))
  return withLists(learn(state, clips, NOON).state, (mode) => tracks(30, 30, mode), NOON)
}

export function after(state: PlayoutState, command: Command, atMs: number): PlayoutState {
  return apply(state, command, atMs).state
}

export function song({ onAir }: PlayoutState) {
  if (onAir.phase !== 'track') throw new Error(`no song is heard: ${onAir.phase}`)
  return onAir
}

export function chat({ onAir }: PlayoutState): Chat {
  if (onAir.phase !== 'chat') throw new Error(`nobody talks: ${onAir.phase}`)
  return onAir
}

export function ended(state: PlayoutState, atMs: number): Step {
  const { onAir } = state
  if (onAir.phase === 'preparing') throw new Error('nothing is heard')
  const { entryId } =
    onAir.phase === 'track' ? onAir.entry : onAir.phase === 'jingle' ? onAir.jingle : onAir.background
  return learn(state, { type: 'sound-ended', entryId }, atMs)
}

export function nextId(state: PlayoutState): string | undefined {
  return queuePage(state, 0, 1).items[0]?.id
}
