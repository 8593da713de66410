import type { Speakers } from '@solstice/station'

/** Whose microphones were open from which frame on, until the frames are published. */
export interface SpeakerLog {
  /** Notes who speaks from a frame on; frames are noted in order. */
  note(frame: number, names: string[]): void
  /** The changes within a chunk of frames, and forgets what is over before it; chunks are asked for in order. */
  of(from: number, end: number): Speakers[]
}

export function createSpeakerLog(): SpeakerLog {
  let changes: Speakers[] = []
  return {
    note(frame, names) {
      if (JSON.stringify(names) !== JSON.stringify(changes.at(-1)?.names ?? []))
        changes.push({ frame, names })
    },
    of(from, end) {
      const latest = changes.findLastIndex(({ frame }) => frame <= from)
      changes = changes.slice(Math.max(0, latest))
      const within = changes
        .filter(({ frame }) => frame < end)
        .map(({ frame, names }) => ({ frame: Math.max(from, frame), names }))
      return within[0]?.names.length === 0 ? within.slice(1) : within
    },
  }
}
