import type { JobContext } from '@solstice/adapters'
import type { Answer, ClipRecord, Clips, Given } from '@solstice/station'

/** Deletes clips; one that takes over finishes what was begun, also where the records are gone already. */
export async function deleteClips(
  clips: Clips,
  { family, ids, actor }: Given<'delete-clips'>,
  context: JobContext,
): Promise<Answer<'delete-clips'>> {
  const results = await clips.remove(family, ids, actor, {
    recall: () => (context.notes as ClipRecord[] | undefined) ?? null,
    keep: (records) => context.progress(0, ids.length, records),
  })
  return { results }
}

/** Moves clips to the other mode. */
export async function moveClips(
  clips: Clips,
  { family, ids, targetMode }: Given<'move-clips'>,
): Promise<Answer<'move-clips'>> {
  return { results: await clips.move(family, ids, targetMode) }
}
