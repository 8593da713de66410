import { diskFullAsFailure, Failure } from '../core/failure.ts'
import { serialise } from '../core/turns/serialise.ts'
import type { AudioFacts, AudioTags } from '../ports/media/audio.ts'
import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'

/** Decodes an `X-File-Name`: percent-encoded UTF-8, or else the text as it is. */
export function decodeFilename(header: string): string {
  try {
    return decodeURIComponent(header)
  } catch {
    return header
  }
}

/** The key of a file that waits for its final key. */
export function stagedKey(key: MediaKey): MediaKey {
  return `.staged/${key}`
}

/**
 * Stages an MP3 as `.staged/<folder>/<filename>`, replacing the file there, and reads its tags and length. Leaves nothing
 * behind when it throws.
 *
 * @throws Failure BAD_REQUEST `empty_body` or `not_mp3`; STORAGE_WRITE_FAILED with its cause; what `content` throws.
 */
export async function receiveMp3(
  deps: { media: MediaStorage; tags: AudioTags },
  { folder, filename, content }: { folder: string; filename: string; content: AsyncIterable<Uint8Array> },
): Promise<{ staged: MediaKey; facts: AudioFacts }> {
  const staged = stagedKey(`${folder}/${filename}`)
  await stage(deps.media, staged, content)
  try {
    return { staged, facts: await probeMp3(deps, staged) }
  } catch (error) {
    await deps.media.delete(staged).catch(() => {})
    throw error
  }
}

/**
 * Gives a staged file its final key.
 *
 * @returns false, with nothing changed, when that key is taken.
 * @throws Failure NOT_FOUND when no such file is staged, STORAGE_WRITE_FAILED with its cause.
 */
export async function promote(
  { media }: { media: MediaStorage },
  staged: MediaKey,
  key: MediaKey,
): Promise<boolean> {
  const isSettled = await media.copy(staged, key).catch(refuseWrite)
  // A leftover is purged later.
  if (isSettled) await media.delete(staged).catch(() => {})
  return isSettled
}

async function stage(media: MediaStorage, key: MediaKey, content: AsyncIterable<Uint8Array>): Promise<void> {
  let refusal: { error: unknown } | null = null
  async function* watched() {
    try {
      let isEmpty = true
      for await (const piece of content) {
        isEmpty &&= piece.length === 0
        yield piece
      }
      if (isEmpty) throw new Failure('BAD_REQUEST', { field: 'body', reason: 'empty_body' })
    } catch (error) {
      refusal = { error }
      throw error
    }
  }
  await media.put(key, watched()).catch((error) => {
    if (refusal) throw refusal.error
    refuseWrite(error)
  })
}

/** Throws an error of a write as a `Failure` of the contract. */
export function refuseWrite(error: unknown): never {
  const named = diskFullAsFailure(error)
  if (named instanceof Failure) throw named
  throw new Failure('STORAGE_WRITE_FAILED', {}, { cause: error })
}

const probeInTurn = serialise()

/** Reads tags and length of a stored MP3; one at a time, because that costs more than receiving it. */
export function probeMp3(
  { media, tags }: { media: MediaStorage; tags: AudioTags },
  key: MediaKey,
): Promise<AudioFacts> {
  return probeInTurn(async () => {
    const path = await media.source(key)
    // An error says nothing about what is in the file.
    const facts = await tags.readMp3(path).catch(refuseWrite)
    if (!facts) throw new Failure('BAD_REQUEST', { field: 'body', reason: 'not_mp3' })
    return facts
  })
}
