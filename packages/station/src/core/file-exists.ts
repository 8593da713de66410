import type { MediaKey, MediaStorage } from '../ports/media-storage.ts'
import { Failure } from './failure.ts'

/** Whether a file is there. @throws when its storage cannot say so, as while it is away. */
export async function fileExists(media: Pick<MediaStorage, 'stat'>, key: MediaKey): Promise<boolean> {
  try {
    return (await media.stat(key)) !== null
  } catch (error) {
    // A refused key leads out of the storage: nothing of ours is there.
    if (error instanceof Failure && error.code === 'BAD_REQUEST') return false
    throw error
  }
}
