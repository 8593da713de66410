import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { MediaKey, MediaLink } from '@solstice/station'
import { namesIn } from '../keys.ts'
import { redacted, unreachable } from './failures.ts'

/** A bucket, and how it is reached. */
export interface BucketConfig {
  endpoint: string
  /** The endpoint under which browsers reach it. */
  publicEndpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  /** The bucket is named in the path of an address, not in its host. */
  forcePathStyle: boolean
  /** Folder of the artwork. */
  artsPrefix: string
  /** Default lifetime of a link, s. */
  presignTtlS: number
}

/** A connected bucket. */
export interface Bucket {
  readonly name: string
  readonly config: BucketConfig
  readonly client: S3Client
  /** Signs links for the endpoint that browsers use. */
  readonly signer: S3Client
}

const CONNECT_TIMEOUT_MS = 5_000
const IDLE_TIMEOUT_MS = 10_000
const MAX_ATTEMPTS = 4
const MAX_CONNECTIONS = 200
/** Clients whose clock is slow, or that are late to begin, still get the file. */
const LINK_MARGIN_S = 60
/** Seven days, the longest that a signature (AWS Signature Version 4) may last. */
const MAX_LINK_TTL_S = 604_800

const contentTypes: Record<string, string> = {
  mp3: 'audio/mpeg',
  jpg: 'image/jpeg',
  webp: 'image/webp',
}

export function connectBucket(config: BucketConfig): Bucket {
  return {
    name: config.bucket,
    config,
    client: createClient(config.endpoint, config),
    signer: createClient(config.publicEndpoint, config),
  }
}

/** The name of a file in the bucket. @throws Failure BAD_REQUEST */
export function objectName({ config }: Bucket, key: MediaKey): string {
  const [first, ...rest] = namesIn(key)
  const folder = first === '.staged' ? 'staged' : first === 'arts' ? config.artsPrefix : first
  return [folder, ...rest].join('/')
}

export function contentTypeOf(key: MediaKey): string {
  return contentTypes[key.slice(key.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'
}

/** A signed link to a file. @throws Failure STORAGE_URL_FAILED */
export async function signLink(bucket: Bucket, key: MediaKey, lastsS: number): Promise<MediaLink> {
  const { config, client, signer } = bucket
  const Key = objectName(bucket, key)
  const neededS = lastsS > 0 ? Math.ceil(lastsS) + LINK_MARGIN_S : 0
  const ttlS = Math.min(MAX_LINK_TTL_S, Math.max(config.presignTtlS, neededS))
  try {
    // Files that others put into the bucket may have any type.
    const command = new GetObjectCommand({
      Bucket: bucket.name,
      Key,
      ResponseContentType: contentTypeOf(key),
    })
    const url = await getSignedUrl(signer, command, {
      expiresIn: ttlS,
      // Corrects our clock by what the store's answers have shown about it.
      signingDate: new Date(Date.now() + client.config.systemClockOffset),
    })
    return { url, ttlS }
  } catch (error) {
    throw unreachable(redacted('signing a link', error))
  }
}

/** The origin of all signed links. */
export function linkOrigin({ config }: Bucket): string {
  const { origin, protocol, host } = new URL(config.publicEndpoint)
  return config.forcePathStyle ? origin : `${protocol}//${config.bucket}.${host}`
}

function createClient(endpoint: string, config: BucketConfig): S3Client {
  // Without this the SDK announces the end of support for older Node versions in every log and below every command.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  const { region, forcePathStyle, accessKeyId, secretAccessKey } = config
  return new S3Client({
    endpoint,
    region,
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey },
    // Stores other than Amazon's may not know the checksums that are sent by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      httpAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
    },
  })
}
