import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadBucketCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { FailureCode, FailureDetails } from '@solstice/contracts'
import { Failure, type Log, type MediaKey, type MediaStorage, sleep } from '@solstice/station'
import { openMediaCache } from './cache.ts'
import { hasRoomIn, isName, namesIn } from './keys.ts'

/** A bucket, and how it is reached. */
export interface Bucket {
  endpoint: string
  /** The endpoint under which browsers reach it. */
  publicEndpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  /** The bucket is named in the path of an address, not in its host. */
  forcePathStyle: boolean
  /** Where artwork is. */
  artsPrefix: string
  /** For how many seconds a link is good, unless it has to be good for longer. */
  presignTtlS: number
}

const CONNECTION_LIMIT_MS = 5_000
const IDLE_LIMIT_MS = 10_000
const MOST_ATTEMPTS = 4
const MOST_CONNECTIONS = 200
/** The smallest that a store takes. An upload holds about three in memory. */
const PART_BYTES = 5 * 1024 * 1024
/** So many files are sent to the store at once; what is received meanwhile waits on disk. */
const MOST_SENT_AT_ONCE = 4
/** So often in a row the rest of a file is asked for after the answer was cut. */
const MOST_RESUMES = 4
const RESUME_PAUSE_MS = 200
/** An upload in parts that began so long ago is written by nobody any more. */
const ABANDONED_MS = 24 * 60 * 60 * 1000
/** A link is good for so much longer than what it is needed for. */
const LINK_MARGIN_S = 60
/** No signature is good for longer. */
const LONGEST_LINK_S = 604_800
/** So often a copy is tried that the store refuses because something else happens to its name. */
const MOST_CONFLICTS = 3

const contentTypes: Record<string, string> = { mp3: 'audio/mpeg', jpg: 'image/jpeg' }

/**
 * The station's files in a bucket: music `<mode>/<file>`, uploads that wait `staged/…`, artwork under its prefix, all else
 * where its key says. What the store repeats of keys and signatures in its errors is told to nobody.
 */
export async function openS3Media(place: Bucket, log: Log): Promise<MediaStorage> {
  const { bucket: Bucket } = place
  const client = connectTo(place.endpoint, place)
  const signer = connectTo(place.publicEndpoint, place)
  const settling = new Map<MediaKey, Promise<unknown>>()
  let hasConditions = true

  const nameOf = (key: MediaKey) => {
    const [first, ...rest] = namesIn(key)
    const folder = first === '.staged' ? 'staged' : first === 'arts' ? place.artsPrefix : first
    return [folder, ...rest].join('/')
  }

  const head = (key: MediaKey, abortSignal?: AbortSignal): Promise<HeadObjectCommandOutput | null> =>
    ask('looking for a file', () =>
      client.send(new HeadObjectCommand({ Bucket, Key: nameOf(key) }), { abortSignal }),
    ).catch((error) => {
      if (error instanceof Failure && error.code === 'NOT_FOUND') return null
      throw error
    })

  const get = (key: MediaKey, range?: { start: number; end: number }, abortSignal?: AbortSignal) =>
    ask('reading a file', async () => {
      const Range = range && `bytes=${range.start}-${range.end}`
      const answer = await client.send(new GetObjectCommand({ Bucket, Key: nameOf(key), Range }), {
        abortSignal,
      })
      if (range && !answer.ContentRange?.startsWith(`bytes ${range.start}-`)) {
        bodyOf(answer).destroy()
        throw new Error('the store does not serve ranges')
      }
      return answer
    })

  /** All bytes of an answer. When it is cut, the rest of the same file is asked for. */
  async function* whole(
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
        // Who takes the bytes may want no more of them.
        if (!isReading || signal?.aborted) throw error
      }
      if (sent === length) return
      if (sent > length || cuts++ >= MOST_RESUMES) break
      await sleep(RESUME_PAUSE_MS * cuts * (0.5 + Math.random()), { signal })
      answer = await get(key, { start: start + sent, end: start + length - 1 }, signal)
      if (answer.ETag !== first.ETag) {
        bodyOf(answer).destroy()
        break
      }
    }
    throw unreachable(new ToldError('reading a file: it was cut', true))
  }

  /** @throws Failure NOT_FOUND */
  const read = async (key: MediaKey, range?: { start: number; end: number }, signal?: AbortSignal) => {
    const answer = await get(key, range, signal)
    const content = Readable.from(whole(key, answer, range?.start ?? 0, signal), { objectMode: false })
    // Nobody may ever ask for the first byte.
    content.once('close', () => bodyOf(answer).destroy())
    return { version: versionOf(answer), size: answer.ContentLength ?? 0, content }
  }

  const cache = await openMediaCache(
    {
      read: (key, signal) => read(key, undefined, signal),
      async version(key, signal) {
        const found = await head(key, signal)
        return found && versionOf(found)
      },
    },
    log,
  )

  client.send(new HeadBucketCommand({ Bucket })).catch((error) => {
    log.warn(
      { err: told('looking for the bucket', error), bucket: Bucket },
      'the media storage cannot be used',
    )
  })

  /** Nobody else gives a file this name meanwhile, as far as this process is concerned. */
  const alone = async <T>(key: MediaKey, act: () => Promise<T>): Promise<T> => {
    const turn = (settling.get(key) ?? Promise.resolve()).then(act)
    const isOver = turn.then(
      () => {},
      () => {},
    )
    settling.set(key, isOver)
    try {
      return await turn
    } finally {
      if (settling.get(key) === isOver) settling.delete(key)
    }
  }

  const inTurn = limited(MOST_SENT_AT_ONCE)
  const send = async (key: MediaKey, path: string): Promise<string> => {
    const { size } = await stat(path)
    const Body = createReadStream(path)
    const params = { Bucket, Key: nameOf(key), Body, ContentType: contentTypeOf(key) }
    try {
      const { ETag } = await new Upload({ client, params, partSize: PART_BYTES, queueSize: 1 }).done()
      return versionOf({ ETag, ContentLength: size })
    } catch (error) {
      throw refusal('STORAGE_WRITE_FAILED', told('writing a file', error))
    } finally {
      Body.destroy()
    }
  }

  const copy = async (from: MediaKey, to: MediaKey): Promise<boolean> => {
    // An answer may get lost: then this tells whether the file that is there is the one that was made here.
    const mark = randomUUID()
    for (let attempt = 0; ; attempt++) {
      const [original, taken] = await Promise.all([head(from), head(to)])
      if (!original) throw new Failure('NOT_FOUND')
      if (taken) return taken.Metadata?.copy === mark
      try {
        await client.send(
          new CopyObjectCommand({
            Bucket,
            Key: nameOf(to),
            CopySource: [Bucket, ...nameOf(from).split('/')].map(encodeURIComponent).join('/'),
            MetadataDirective: 'REPLACE',
            Metadata: { copy: mark },
            ContentType: contentTypeOf(to),
            ...(hasConditions && { IfNoneMatch: '*' }),
          }),
        )
        return true
      } catch (error) {
        const status = statusOf(error)
        if (status === 404) throw new Failure('NOT_FOUND')
        if (status === 501 && hasConditions) hasConditions = false
        else if (![409, 412].includes(status ?? 0) || attempt >= MOST_CONFLICTS)
          throw refusal('STORAGE_WRITE_FAILED', told('copying a file', error))
      }
    }
  }

  return {
    async stat(key) {
      const found = await head(key)
      return found && { size: found.ContentLength ?? 0, modifiedMs: found.LastModified?.getTime() ?? 0 }
    },

    async digest(key) {
      const found = await head(key)
      // What was put in parts, or is encrypted with a key that is kept apart, has a tag of another kind.
      const isPlain = !found?.ServerSideEncryption?.startsWith('aws:') && !found?.SSECustomerAlgorithm
      return (isPlain && /^"?([\da-f]{32})"?$/.exec(found?.ETag ?? '')?.[1]) || null
    },

    open: async (key, range) => (await read(key, range)).content,

    async put(key, content) {
      // A sender may be gone before its first byte is asked for; reading tells of it, and nobody else has to listen.
      if (content instanceof Readable) content.on('error', () => {})
      nameOf(key)
      const pieces = content instanceof Uint8Array ? [content] : content
      await cache.passOn(key, Readable.from(pieces), (path) => inTurn(() => send(key, path)))
    },

    async copy(from, to) {
      nameOf(from)
      nameOf(to)
      return alone(to, () => copy(from, to)).finally(() => cache.forget(to))
    },

    // What comes in is looked at here before it is anything.
    hasRoomFor: (bytes) => hasRoomIn(dirname(cache.folder), bytes),

    async delete(key) {
      const Key = nameOf(key)
      await ask(
        'deleting a file',
        () => client.send(new DeleteObjectCommand({ Bucket, Key })),
        'STORAGE_WRITE_FAILED',
      ).catch((error) => {
        if (!(error instanceof Failure) || error.code !== 'NOT_FOUND') throw error
      })
      cache.forget(key)
    },

    async list(folder) {
      const Prefix = `${nameOf(folder)}/`
      const names: string[] = []
      await ask('listing files', async () => {
        const pages = paginateListObjectsV2({ client }, { Bucket, Prefix, Delimiter: '/' })
        for await (const { Contents = [] } of pages)
          names.push(...Contents.map(({ Key = '' }) => Key.slice(Prefix.length)))
      })
      return names
        .filter((name) => !name.startsWith('.') && isName(name))
        .map((name) => `${folder}/${name}`)
        .sort()
    },

    async sweep(folder) {
      const Prefix = `${nameOf(folder)}/`
      try {
        let after: { KeyMarker?: string; UploadIdMarker?: string } | null = {}
        while (after) {
          const asked = { Bucket, Prefix, Delimiter: '/', ...after }
          const page: ListMultipartUploadsCommandOutput = await client.send(
            new ListMultipartUploadsCommand(asked),
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
        // Stores that cannot say what is unfinished remove it by themselves, or by a rule of their own.
        if (![404, 405, 501].includes(statusOf(error) ?? 0))
          throw refusal('STORAGE_WRITE_FAILED', told('looking for unfinished uploads', error))
      }
    },

    async source(key) {
      nameOf(key)
      return cache.source(key)
    },
    prefetch: cache.prefetch,
    cachedWhileAway: cache.cachedWhileAway,

    async link(key, { lastsS = 0 } = {}) {
      const Key = nameOf(key)
      const neededS = lastsS > 0 ? Math.ceil(lastsS) + LINK_MARGIN_S : 0
      const ttlS = Math.min(LONGEST_LINK_S, Math.max(place.presignTtlS, neededS))
      try {
        // What others put into the bucket may have any type.
        const command = new GetObjectCommand({ Bucket, Key, ResponseContentType: contentTypeOf(key) })
        const url = await getSignedUrl(signer, command, {
          expiresIn: ttlS,
          // What answers of the store have shown about our own clock.
          signingDate: new Date(Date.now() + client.config.systemClockOffset),
        })
        return { url, ttlS }
      } catch (error) {
        throw unreachable(told('signing a link', error))
      }
    },

    linkOrigin: originOf(place),

    async close() {
      await cache.close()
      client.destroy()
      signer.destroy()
    },
  }
}

/** Does so many things at once at most; the others wait. */
function limited(most: number): <T>(act: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = most
  return async (act) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await act()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

function connectTo(endpoint: string, place: Bucket): S3Client {
  // It would write which versions of Node it will leave behind into every log and behind every command.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  const { region, forcePathStyle, accessKeyId, secretAccessKey } = place
  return new S3Client({
    endpoint,
    region,
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey },
    // Stores other than Amazon's may not know the checksums that are sent by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MOST_ATTEMPTS,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: CONNECTION_LIMIT_MS,
      socketTimeout: IDLE_LIMIT_MS,
      httpAgent: { keepAlive: true, maxSockets: MOST_CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: MOST_CONNECTIONS },
    },
  })
}

/** @throws Failure NOT_FOUND for a file that is not there, else `otherwise`. */
async function ask<T>(
  what: string,
  act: () => Promise<T>,
  otherwise: FailureCode = 'STORAGE_URL_FAILED',
): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Failure) throw error
    if (statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket') throw new Failure('NOT_FOUND')
    throw refusal(otherwise, told(what, error))
  }
}

function refusal(code: FailureCode, cause: ToldError): Failure {
  const details: FailureDetails =
    code === 'STORAGE_WRITE_FAILED' && cause.isTransient ? { reason: 'away' } : {}
  return new Failure(code, details, { cause })
}

const unreachable = (cause: ToldError) => refusal('STORAGE_URL_FAILED', cause)

/** An error of the store without its text and its fields, in which it repeats keys and what was signed. */
class ToldError extends Error {
  /** Whether the store is away or overloaded, and has not refused what was asked. */
  readonly isTransient: boolean
  constructor(message: string, isTransient: boolean) {
    super(message)
    this.isTransient = isTransient
  }
}

function told(what: string, error: unknown): ToldError {
  const { name, code } = error as { name?: string; code?: string }
  const status = statusOf(error)
  const isTransient = status === undefined || status >= 500 || status === 429
  return new ToldError(`${what}: ${code ?? name ?? 'it failed'}${status ? ` (${status})` : ''}`, isTransient)
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode
}

function bodyOf({ Body }: GetObjectCommandOutput): Readable {
  return Body instanceof Readable ? Body : Readable.from([])
}

function versionOf({ ETag, ContentLength }: { ETag?: string; ContentLength?: number }): string {
  return `${ETag} ${ContentLength}`
}

function contentTypeOf(key: MediaKey): string {
  return contentTypes[key.slice(key.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'
}

function originOf({ publicEndpoint, forcePathStyle, bucket }: Bucket): string {
  const { origin, protocol, host } = new URL(publicEndpoint)
  return forcePathStyle ? origin : `${protocol}//${bucket}.${host}`
}
