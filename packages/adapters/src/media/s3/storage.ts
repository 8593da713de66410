import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { HeadBucketCommand } from '@aws-sdk/client-s3'
import { type Log, limitConcurrency, type MediaStorage } from '@solstice/station'
import { openMediaCache } from '../cache/cache.ts'
import { hasRoomIn, isName } from '../keys.ts'
import { type Bucket, type BucketConfig, connectBucket, linkOrigin, objectName, signLink } from './bucket.ts'
import { createCopier } from './copies.ts'
import { download } from './download.ts'
import { redacted } from './failures.ts'
import { abortAbandonedUploads, digestOf, head, namesOf, remove, upload, versionOf } from './objects.ts'

/** The rest of what is received meanwhile waits on disk, not in memory. */
const MAX_CONCURRENT_UPLOADS = 4

/**
 * The station's files in a bucket: music `<mode>/<file>`, staged uploads `staged/…`, artwork under its prefix, all else
 * under its key. Errors are passed on without the keys and signatures that the store repeats in them.
 */
export async function openS3Media(config: BucketConfig, log: Log): Promise<MediaStorage> {
  const bucket = connectBucket(config)
  const copyNew = createCopier(bucket)
  const whenThereIsRoom = limitConcurrency(MAX_CONCURRENT_UPLOADS)
  const cache = await openMediaCache(
    {
      read: (key, signal) => download(bucket, key, { signal }),
      async version(key, signal) {
        const found = await head(bucket, key, signal)
        return found && versionOf(found)
      },
    },
    log,
  )
  warnUnlessUsable(bucket, log)

  return {
    async stat(key) {
      const found = await head(bucket, key)
      return found && { size: found.ContentLength ?? 0, modifiedMs: found.LastModified?.getTime() ?? 0 }
    },
    digest: (key) => digestOf(bucket, key),
    open: async (key, range) => (await download(bucket, key, { range })).content,

    async put(key, content) {
      // A sender may fail before its first byte is asked for. The pipeline reports that; the listener keeps the process alive.
      if (content instanceof Readable) content.on('error', () => {})
      objectName(bucket, key)
      const pieces = Readable.from(content instanceof Uint8Array ? [content] : content)
      await cache.writeThrough(key, pieces, (path) => whenThereIsRoom(() => upload(bucket, key, path)))
    },

    async copy(from, to) {
      for (const key of [from, to]) objectName(bucket, key)
      return copyNew(from, to).finally(() => cache.invalidate(to))
    },

    // Incoming files are staged and inspected on this machine's disk.
    hasRoomFor: (bytes) => hasRoomIn(dirname(cache.folder), bytes),

    async delete(key) {
      await remove(bucket, key)
      cache.invalidate(key)
    },

    async list(folder) {
      const names = await namesOf(bucket, folder)
      return names
        .filter((name) => !name.startsWith('.') && isName(name))
        .map((name) => `${folder}/${name}`)
        .sort()
    },

    sweep: (folder) => abortAbandonedUploads(bucket, folder),

    async source(key) {
      objectName(bucket, key)
      return cache.source(key)
    },
    prefetch: cache.prefetch,
    cachedWhileAway: cache.cachedWhileAway,

    link: async (key, { lastsS = 0 } = {}) => signLink(bucket, key, lastsS),
    linkOrigin: linkOrigin(bucket),

    async close() {
      await cache.close()
      bucket.client.destroy()
      bucket.signer.destroy()
    },
  }
}

/** A station may start while its bucket is away, so this is only logged. */
function warnUnlessUsable({ client, name }: Bucket, log: Log): void {
  client.send(new HeadBucketCommand({ Bucket: name })).catch((error) => {
    log.warn({ err: redacted('looking for the bucket', error), bucket: name }, 'media storage unusable')
  })
}
