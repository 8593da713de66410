import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log, MediaStorage } from '@solstice/station'
import type { Test } from 'tap'
import { readConfig } from '../../../packages/adapters/src/config/config.ts'
import { openS3Media } from '../../../packages/adapters/src/media/s3/storage.ts'
import type { startS3 } from './s3.ts'

export const silent: Log = { info() {}, warn() {} }

let buckets = 0

/** Media in a bucket of its own, unless one is named. */
export async function openOn(
  t: Test,
  s3: Awaited<ReturnType<typeof startS3>>,
  settings: Record<string, string> = {},
  bucket = `bucket-${++buckets}`,
): Promise<MediaStorage> {
  const { config } = readConfig({ JWT_SECRET: 'only here', ...(await s3.env(bucket)), ...settings })
  const media = await openS3Media(config.bucket!, silent)
  t.teardown(() => media.close())
  return media
}

/** True when a request to the store has this method, and this in its address. */
export const isOf =
  (method: string, part = '') =>
  (request: IncomingMessage) =>
    request.method === method && decodeURIComponent(request.url!).includes(part)

/** Answers as an S3 store does. */
export const xml = (answer: ServerResponse, status: number, body: string) =>
  answer.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${body}`)
