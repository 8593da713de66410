import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { MediaKey } from '@solstice/station'
import { isNotFound } from '../not-found.ts'
import { type Bucket, contentTypeOf, objectName } from './bucket.ts'
import { attempt, notWritten, redacted, statusOf } from './failures.ts'

/** The smallest part that stores accept. An upload holds about three in memory. */
const PART_BYTES = 5 * 1024 * 1024
/** No upload takes a day, so nobody is writing one that began before. */
const ABANDONED_MS = 24 * 60 * 60 * 1000

/** Changes whenever the content does. */
export function versionOf({ ETag, ContentLength }: { ETag?: string; ContentLength?: number }): string {
  return `${ETag} ${ContentLength}`
}

/** The headers of a file; null when there is none. */
export async function head(
  bucket: Bucket,
  key: MediaKey,
  abortSignal?: AbortSignal,
): Promise<HeadObjectCommandOutput | null> {
  const command = new HeadObjectCommand({ Bucket: bucket.name, Key: objectName(bucket, key) })
  return attempt('looking for a file', () => bucket.client.send(command, { abortSignal })).catch((error) => {
    if (isNotFound(error)) return null
    throw error
  })
}

/** MD5 (hex) of a file; null when its tag is something else, as after an upload in parts or with a customer's key. */
export async function digestOf(bucket: Bucket, key: MediaKey): Promise<string | null> {
  const found = await head(bucket, key)
  const isPlain = !found?.ServerSideEncryption?.startsWith('aws:') && !found?.SSECustomerAlgorithm
  return (isPlain && /^"?([\da-f]{32})"?$/.exec(found?.ETag ?? '')?.[1]) || null
}

/** Uploads a local file and returns its version. @throws Failure STORAGE_WRITE_FAILED */
export async function upload(bucket: Bucket, key: MediaKey, path: string): Promise<string> {
  const { size } = await stat(path)
  const Body = createReadStream(path)
  const params = {
    Bucket: bucket.name,
    Key: objectName(bucket, key),
    Body,
    ContentType: contentTypeOf(key),
  }
  try {
    const { ETag } = await new Upload({
      client: bucket.client,
      params,
      partSize: PART_BYTES,
      queueSize: 1,
    }).done()
    return versionOf({ ETag, ContentLength: size })
  } catch (error) {
    throw notWritten(redacted('writing a file', error))
  } finally {
    Body.destroy()
  }
}

export async function remove(bucket: Bucket, key: MediaKey): Promise<void> {
  const command = new DeleteObjectCommand({ Bucket: bucket.name, Key: objectName(bucket, key) })
  await attempt('deleting a file', () => bucket.client.send(command), notWritten).catch((error) => {
    if (!isNotFound(error)) throw error
  })
}

/** The names of all files directly in a folder. */
export async function namesOf(bucket: Bucket, folder: string): Promise<string[]> {
  const Prefix = `${objectName(bucket, folder)}/`
  const names: string[] = []
  await attempt('listing files', async () => {
    const request = { Bucket: bucket.name, Prefix, Delimiter: '/' }
    for await (const { Contents = [] } of paginateListObjectsV2({ client: bucket.client }, request))
      names.push(...Contents.map(({ Key = '' }) => Key.slice(Prefix.length)))
  })
  return names
}

/** Ends uploads in parts that nobody is writing any more. @throws Failure STORAGE_WRITE_FAILED */
export async function abortAbandonedUploads(bucket: Bucket, folder: string): Promise<void> {
  const { client, name: Bucket } = bucket
  const Prefix = `${objectName(bucket, folder)}/`
  try {
    let after: { KeyMarker?: string; UploadIdMarker?: string } | null = {}
    while (after) {
      const request = { Bucket, Prefix, Delimiter: '/', ...after }
      const page: ListMultipartUploadsCommandOutput = await client.send(
        new ListMultipartUploadsCommand(request),
      )
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (!Initiated || Date.now() - Initiated.getTime() <= ABANDONED_MS) continue
        await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
      }
      after = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : null
    }
  } catch (error) {
    // Stores that cannot list unfinished uploads remove them by themselves, or by a lifecycle rule.
    if (![404, 405, 501].includes(statusOf(error) ?? 0))
      throw notWritten(redacted('looking for unfinished uploads', error))
  }
}
