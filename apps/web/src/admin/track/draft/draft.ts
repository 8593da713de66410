import type { Body, LyricsEntry, trackEditor } from '@solstice/contracts'
import { areAlike, type EditedLyrics, toEdited, toEntry } from '../lyrics/text/lines.ts'
import { areTagsAlike, type EditedTags, type TagFacts, toEditedTags, toTags } from './tags.ts'

/** The part of a track that can be edited and is saved together. */
export interface Draft {
  readonly tags: EditedTags
  readonly lyrics: EditedLyrics
  /** Seconds added to each line. */
  readonly offset: number
}

/** The track as the station has it, and as it would become. */
export interface Editing {
  readonly stored: Draft
  readonly draft: Draft
  /** Former lyrics of the draft, the newest last. */
  readonly past: readonly EditedLyrics[]
  /** Somebody saved something else meanwhile. */
  readonly theirs: Draft | null
}

const MOST_STEPS = 100

export const draftOf = (
  track: TagFacts,
  { entry, offset }: { entry: LyricsEntry; offset: number },
): Draft => ({ tags: toEditedTags(track), lyrics: toEdited(entry), offset })

export const begin = (stored: Draft): Editing => ({ stored, draft: stored, past: [], theirs: null })

/** The parts that differ from another draft. */
export function differences(a: Draft, b: Draft) {
  return {
    tags: !areTagsAlike(a.tags, b.tags),
    lyrics: !areAlike(a.lyrics, b.lyrics),
    offset: a.offset !== b.offset,
  }
}

export const isChanged = ({ stored, draft }: Editing): boolean =>
  Object.values(differences(stored, draft)).some(Boolean)

/** Changes the lyrics of the draft, so that it can be undone. */
export const withLyrics = (editing: Editing, lyrics: EditedLyrics): Editing =>
  lyrics === editing.draft.lyrics
    ? editing
    : {
        ...editing,
        draft: { ...editing.draft, lyrics },
        past: [...editing.past, editing.draft.lyrics].slice(-MOST_STEPS),
      }

export function undo(editing: Editing): Editing {
  const lyrics = editing.past.at(-1)
  if (!lyrics) return editing
  return { ...editing, draft: { ...editing.draft, lyrics }, past: editing.past.slice(0, -1) }
}

/** The station tells what it has now: an unchanged draft follows; a changed one stays, and `theirs` is offered. */
export function withStored(editing: Editing, stored: Draft): Editing {
  const isNews = Object.values(differences(editing.stored, stored)).some(Boolean)
  if (!isNews) return editing.theirs ? { ...editing, theirs: null } : editing
  if (!isChanged(editing) || !Object.values(differences(editing.draft, stored)).some(Boolean))
    return begin(stored)
  return { ...editing, theirs: stored }
}

/** Keeps the own changes over what somebody saved meanwhile: unchanged parts become theirs. */
export function keepMine({ stored, draft, past, theirs }: Editing): Editing {
  if (!theirs) return { stored, draft, past, theirs }
  const mine = differences(stored, draft)
  const merged = {
    tags: mine.tags ? draft.tags : theirs.tags,
    lyrics: mine.lyrics ? draft.lyrics : theirs.lyrics,
    offset: mine.offset ? draft.offset : theirs.offset,
  }
  return { stored: theirs, draft: merged, past, theirs: null }
}

/** The request that saves the changed parts; null when nothing changed. */
export function toSave(
  songId: string,
  { stored, draft }: Editing,
): Body<typeof trackEditor.saveTrack> | null {
  const { tags, lyrics, offset } = differences(stored, draft)
  if (!tags && !lyrics && !offset) return null
  return {
    songId,
    metadata: toTags(draft.tags),
    metadataChanged: tags,
    lyricsChanged: lyrics,
    ...(lyrics && { lyricsEntry: toEntry(draft.lyrics), auditContext: { source: 'editor' } }),
    offsetChanged: offset,
    ...(offset && { offset: draft.offset }),
  }
}
