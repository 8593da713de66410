import { Failure, nameFullDisk } from '../core/failure.ts'
import type { MediaKey, MediaStorage } from '../ports/media-storage.ts'
import type { AudioFacts, AudioTags } from '../ports/outside.ts'

const MAX_NAME_BYTES = 200

/** Marks that turn the direction of the text around them, and characters that nobody sees. */
const invisible = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
/** What some file system does not take, and what stands for bytes that were no text. */
const illegal = /[<>:"/\\|?*\ufffd]|\p{Cc}|\p{Cs}/gu

/**
 * The name under which a file is kept: the last part of a path, in NFC, with `.mp3`, at most 200 bytes of UTF-8, without
 * what could lead out of a folder or deceive a reader. Cleaning a clean name changes nothing.
 */
export function cleanFilename(raw: string): string {
  const name = raw
    .split(/[/\\]/)
    .at(-1)!
    .replace(invisible, '')
    .normalize('NFC')
    .replace(illegal, '_')
    .replace(/\s+/g, ' ')
    .trim()
  const extension = /\.mp3$/i.exec(name)?.[0] ?? ''
  const stem = name.slice(0, name.length - extension.length).replace(/^[. ]+/, '')
  return (cut(stem, MAX_NAME_BYTES - '.mp3'.length) || 'untitled') + (extension || '.mp3')
}

/** As many characters as these bytes hold. */
function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    end += character.length
  }
  return text.slice(0, end).trimEnd()
}

/** What an `X-File-Name` says: percent-encoded UTF-8, or, when it is not that, the text as it is. */
export function decodeFilename(header: string): string {
  try {
    return decodeURIComponent(header)
  } catch {
    return header
  }
}

/** Where a file waits until it gets its final key. */
export function stagedKey(key: MediaKey): MediaKey {
  return `.staged/${key}`
}

/**
 * Takes an MP3 in as `.staged/<folder>/<filename>`, replacing what waits there, and reads what it is. When this throws
 * nothing is left behind.
 *
 * @throws Failure BAD_REQUEST `empty_body` or `not_mp3`; STORAGE_WRITE_FAILED with its cause; what `content` throws.
 */
export async function receiveMp3(
  deps: { media: MediaStorage; tags: AudioTags },
  folder: string,
  filename: string,
  content: AsyncIterable<Uint8Array>,
): Promise<{ staged: MediaKey; facts: AudioFacts }> {
  const staged = stagedKey(`${folder}/${filename}`)
  await store(deps.media, staged, content)
  try {
    return { staged, facts: await probe(deps, staged) }
  } catch (error) {
    await deps.media.delete(staged).catch(() => {})
    throw error
  }
}

/**
 * Gives a staged file its final key. False, and nothing is changed, when that key is taken.
 *
 * @throws Failure NOT_FOUND when no such file is staged, STORAGE_WRITE_FAILED with its cause.
 */
export async function settle(
  { media }: { media: MediaStorage },
  staged: MediaKey,
  key: MediaKey,
): Promise<boolean> {
  const isSettled = await media.copy(staged, key).catch(refuseWrite)
  // What cannot be removed now is purged later.
  if (isSettled) await media.delete(staged).catch(() => {})
  return isSettled
}

async function store(media: MediaStorage, key: MediaKey, content: AsyncIterable<Uint8Array>): Promise<void> {
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

/** What went wrong, as a refusal of the contract. */
export function refuseWrite(error: unknown): never {
  const named = nameFullDisk(error)
  if (named instanceof Failure) throw named
  throw Object.assign(new Failure('STORAGE_WRITE_FAILED'), { cause: error })
}

let probing: Promise<unknown> = Promise.resolve()

/** Reads what a stored file is; one at a time, because that costs more than receiving it. */
export function probe(
  { media, tags }: { media: MediaStorage; tags: AudioTags },
  key: MediaKey,
): Promise<AudioFacts> {
  const turn = probing.then(async () => {
    const path = await media.source(key)
    // An error says nothing about what is in the file.
    const facts = await tags.readMp3(path).catch(refuseWrite)
    if (!facts) throw new Failure('BAD_REQUEST', { field: 'body', reason: 'not_mp3' })
    return facts
  })
  probing = turn.catch(() => {})
  return turn
}
