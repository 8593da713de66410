import { Readable } from 'node:stream'
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { type MediaKey, sleep } from '@solstice/station'
import { type Bucket, objectName } from './bucket.ts'
import { attempt, RedactedError, unreachable } from './failures.ts'
import { versionOf } from './objects.ts'

/** Interruptions in a row, without a byte between them, before a download is given up. */
const MAX_RESUMES = 4
const RESUME_PAUSE_MS = 200

/** Inclusive at both ends. */
export interface ByteRange {
  start: number
  end: number
}

export interface Download {
  version: string
  size: number
  content: Readable
}

/** Downloads a file, or a range of it, resuming when the answer is interrupted. @throws Failure NOT_FOUND */
export async function download(
  bucket: Bucket,
  key: MediaKey,
  { range, signal }: { range?: ByteRange; signal?: AbortSignal } = {},
): Promise<Download> {
  const answer = await get(bucket, key, range, signal)
  const pieces = resumed(bucket, key, answer, range?.start ?? 0, signal)
  const content = Readable.from(pieces, { objectMode: false })
  // The generator never starts, and so never cleans up, when nobody asks for a first byte.
  content.once('close', () => bodyOf(answer).destroy())
  return { version: versionOf(answer), size: answer.ContentLength ?? 0, content }
}

function get(bucket: Bucket, key: MediaKey, range?: ByteRange, abortSignal?: AbortSignal) {
  return attempt('reading a file', async () => {
    const Range = range && `bytes=${range.start}-${range.end}`
    const command = new GetObjectCommand({ Bucket: bucket.name, Key: objectName(bucket, key), Range })
    const answer = await bucket.client.send(command, { abortSignal })
    if (range && !answer.ContentRange?.startsWith(`bytes ${range.start}-`)) {
      bodyOf(answer).destroy()
      throw new Error('the store does not serve ranges')
    }
    return answer
  })
}

/** All bytes of an answer. After an interruption the rest of the same version is requested. */
async function* resumed(
  bucket: Bucket,
  key: MediaKey,
  first: GetObjectCommandOutput,
  start: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const length = first.ContentLength ?? 0
  let answer = first
  let sent = 0
  for (let cuts = 0; ; ) {
    let isReading = true
    try {
      for await (const piece of bodyOf(answer) as AsyncIterable<Uint8Array>) {
        sent += piece.length
        cuts = 0
        isReading = false
        yield piece
        isReading = true
      }
    } catch (error) {
      // The error may be the consumer's, who wants no more bytes.
      if (!isReading || signal?.aborted) throw error
    }
    if (sent === length) return
    if (sent > length || cuts++ >= MAX_RESUMES) break
    await sleep(RESUME_PAUSE_MS * cuts * (0.5 + Math.random()), { signal })
    answer = await get(bucket, key, { start: start + sent, end: start + length - 1 }, signal)
    if (answer.ETag !== first.ETag) {
      bodyOf(answer).destroy()
      break
    }
  }
  throw unreachable(new RedactedError('reading a file: it was cut', true))
}

function bodyOf({ Body }: GetObjectCommandOutput): Readable {
  return Body instanceof Readable ? Body : Readable.from([])
}
