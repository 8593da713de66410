import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'
import { Failure } from './failure.ts'

/** True when a file exists. @throws when its storage cannot say so, for example while it is away. */
export async function fileExists(media: Pick<MediaStorage, 'stat'>, key: MediaKey): Promise<boolean> {
  try {
    return (await media.stat(key)) !== null
  } catch (error) {
    // A refused key leads out of the storage, where no file is ours.
    if (error instanceof Failure && error.code === 'BAD_REQUEST') return false
    throw error
  }
}
