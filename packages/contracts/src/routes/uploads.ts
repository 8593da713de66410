import { Type } from 'typebox'

/** The content types under which browsers send MP3. */
export const audioTypes = ['audio/mpeg', 'audio/mp3', 'application/octet-stream'] as const

/** What a file shall be called: uploads are raw bytes and carry their name beside them. */
export const FileName = Type.Object({
  'X-File-Name': Type.String({ description: 'percent-encoded UTF-8', minLength: 1, maxLength: 2_000 }),
})
