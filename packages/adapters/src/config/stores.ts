import { resolve } from 'node:path'
import type { Reader } from './reader.ts'
import { addressesOf } from './servers/addresses.ts'
import { hasProtocol, WEB, withoutEndSlashes } from './setting.ts'

/** Reads the storage of records and files, and their retention. */
export function readStores(reader: Reader) {
  const { read, raw } = reader
  const dataProvider = read('DATA_PROVIDER')
  const mediaStorage = read(raw('MEDIA_STORAGE')?.trim() ? 'MEDIA_STORAGE' : 'MUSIC_SOURCE')
  return {
    dataProvider,
    database: dataProvider === 'sql' ? database(reader) : null,
    dataDir: resolve(read('DATA_DIR')),
    mediaStorage,
    mediaDir: resolve(read('MEDIA_DIR')),
    bucket: mediaStorage === 'cloud' ? bucket(reader) : null,
    ephemeralStorage: read('EPHEMERAL_STORAGE'),
    confirmTrackCleanup: read('CONFIRM_TRACK_CLEANUP'),
    demoLibrary: read('DEMO_LIBRARY'),
    /** Days for which the broadcast is kept; 0 = it isn't recorded. */
    aircheckDays: read('AIRCHECK_DAYS'),
    logRetentionDays: read('LOG_RETENTION_DAYS'),
    logPurgeHour: read('LOG_PURGE_HOUR'),
  }
}

/** What a connection may be asked to be; the station always needs one that accepts writes. */
const WRITABLE = new Set([null, 'read-write', 'primary'])

function database({ read, problems }: Reader) {
  const url = read('DATABASE_URL')
  if (!url) problems.push('DATABASE_URL is required with DATA_PROVIDER=sql')
  else if (!addressesOf(url).every((address) => hasProtocol(address, ['postgres:', 'postgresql:'])))
    problems.push('DATABASE_URL must be an address that starts with postgres:// or postgresql://')
  else if (!WRITABLE.has(new URL(addressesOf(url)[0]).searchParams.get('target_session_attrs')))
    problems.push('DATABASE_URL: target_session_attrs can only be read-write')
  return { url, poolMax: read('DATABASE_POOL_MAX') }
}

function bucket({ read, problems }: Reader) {
  const needed = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const
  const missing = needed.filter((name) => !read(name))
  if (missing.length) problems.push(`${missing.join(', ')}: required with MEDIA_STORAGE=cloud`)
  const endpoint = withoutEndSlashes(read('S3_ENDPOINT'))
  if (endpoint && !hasProtocol(endpoint, WEB))
    problems.push('S3_ENDPOINT must be an address that starts with http:// or https://')
  return {
    endpoint,
    publicEndpoint: read('S3_PUBLIC_ENDPOINT') || endpoint,
    region: read('S3_REGION'),
    bucket: read('S3_BUCKET'),
    accessKeyId: read('S3_ACCESS_KEY_ID'),
    secretAccessKey: read('S3_SECRET_ACCESS_KEY'),
    forcePathStyle: read('S3_FORCE_PATH_STYLE'),
    artsPrefix: read('S3_ARTS_PREFIX'),
    presignTtlS: read('S3_PRESIGN_TTL_S'),
  }
}
