import { uploads } from '@solstice/contracts'
import { Failure } from '@solstice/station'

const MB = 1024 * 1024
/** The sound of a video becomes an upload like any other. */
export const MAX_SOUND_BYTES = uploads.uploadTrackFile.body.maxBytes
/** The encoder stops here: larger than what is accepted, so that a result that was cut off is refused. */
export const MAX_ENCODED_BYTES = MAX_SOUND_BYTES + MB
/** More is not progress and metadata. */
export const MAX_PRINTED_BYTES = 16 * MB

export const unreadable = () => new Failure('BAD_REQUEST', { field: 'url', reason: 'video_unreadable' })
export const tooLarge = () =>
  new Failure('BAD_REQUEST', { field: 'url', reason: 'video_large', maxMb: MAX_SOUND_BYTES / MB })
