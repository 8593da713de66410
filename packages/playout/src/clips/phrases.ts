import { pick } from '../model/random.ts'
import type { Phrase, PlayoutState, TrackRef } from '../model/state.ts'

/** Rules P1–P3: draws the phrase for the end of a track that starts, if there is one. */
export function drawPhrase(
  state: PlayoutState,
  { durationMs, cuePoints }: TrackRef,
): { state: PlayoutState; phrase: Phrase | null } {
  const { usable, offsetMs } = state.clips.phrases
  const endMs = cuePoints?.endMs ?? durationMs
  if (endMs === null || endMs - (cuePoints?.startMs ?? 0) <= offsetMs) return { state, phrase: null }
  const { choice: clip, seed } = pick(usable[state.mode], state.lastPhraseId, state.seed)
  if (!clip) return { state, phrase: null }
  return { state: { ...state, seed, lastPhraseId: clip.id }, phrase: { clip, fromMs: endMs - offsetMs } }
}
