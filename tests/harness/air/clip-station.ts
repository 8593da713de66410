import type { Mode } from '@solstice/contracts'
import { type ClipRef, learn, type PlayoutState, type Schedule, type UsableClips } from '@solstice/playout'
import { alwaysDay, NOON, noClips, playing, tracks, withLists } from './programme.ts'

export const changesAt = (atMs: number): Schedule => ({ natural: 'day', changes: [{ atMs, mode: 'night' }] })

export function clip(id: string, mode: Mode = 'day', durationMs: number | null = 5_000): ClipRef {
  return { id, media: `jingles/${mode}/${id}.mp3`, durationMs }
}

export function some(count: number, mode: Mode = 'day'): ClipRef[] {
  return Array.from({ length: count }, (_, i) => clip(`${mode}-${i}`, mode))
}

export function clips({
  jingles = {},
  phrases = {},
}: {
  jingles?: Partial<UsableClips['jingles']>
  phrases?: Partial<UsableClips['phrases']>
}): UsableClips {
  return {
    ...noClips,
    jingles: { usable: { day: some(4), night: some(4, 'night') }, required: 3, frequency: 2, ...jingles },
    phrases: { ...noClips.phrases, ...phrases },
  }
}

export const withPhrases = (usable: ClipRef[], offsetMs = 15_000): UsableClips => ({
  ...noClips,
  phrases: { usable: { day: usable, night: [] }, offsetMs },
})

/** A station in stream mode that has learned its clips. */
export function clipStation(
  told: UsableClips,
  songs = tracks(30),
  schedule = alwaysDay,
  atMs = NOON,
): PlayoutState {
  return learn(playing(songs, 'sound', schedule, atMs), { type: 'clips', clips: told }, atMs).state
}

/** Ends the entry on air by its sound, at the end of its duration; another playlist of the same tracks is ready. */
export function endOfSound(state: PlayoutState): { state: PlayoutState; atMs: number } {
  const { onAir } = state
  if (onAir.phase !== 'track' && onAir.phase !== 'jingle') throw new Error('neither song nor jingle is heard')
  const isJingle = onAir.phase === 'jingle'
  const { entryId } = isJingle ? onAir.jingle : onAir.entry
  const atMs = onAir.startedAtMs + ((isJingle ? onAir.jingle.clip : onAir.entry.track).durationMs ?? 60_000)
  const songs = new Map(state.playlist.entries.map(({ track }) => [track.id, track]))
  const ended = learn(state, { type: 'sound-ended', entryId }, atMs).state
  return { state: withLists(ended, () => [...songs.values()], atMs), atMs }
}

/** The sequence heard: 's' for a track, the id of a jingle. */
export function heard(state: PlayoutState, count: number): { programme: string[]; state: PlayoutState } {
  const programme: string[] = []
  for (let i = 0; i < count; i++) {
    programme.push(state.onAir.phase === 'jingle' ? state.onAir.jingle.clip.id : 's')
    state = endOfSound(state).state
  }
  return { programme, state }
}

/** How many songs lie between two jingles. */
export function distances(programme: string[]): number[] {
  return programme
    .map((id) => (id === 's' ? 's' : 'J'))
    .join('')
    .split('J')
    .slice(0, -1)
    .map((songs) => songs.length)
}

/** Songs until the next thing is a jingle. */
export function toJingle(state: PlayoutState): { state: PlayoutState; atMs: number; before: PlayoutState } {
  for (let i = 0; i < 20; i++) {
    const ended = endOfSound(state)
    if (ended.state.onAir.phase === 'jingle') return { ...ended, before: state }
    state = ended.state
  }
  throw new Error('no jingle came')
}
