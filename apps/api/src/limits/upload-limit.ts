import { finished } from 'node:stream'
import { Failure } from '@solstice/station'
import type { FastifyReply } from 'fastify'
import { countAlone, type OpenCount } from './shared-counts.ts'

/** Uploads of an account that a replica takes at once. */
export const UPLOADS_PER_ACCOUNT = 4
/** Uploads last for seconds to minutes, and the next one may begin as soon as one of them ends. */
const RETRY_AFTER_S = 5

/** Counts the uploads of an account that are under way. */
export interface UploadLimit {
  /** Counts an upload until it has been answered or its sender is gone. @throws Failure RATE_LIMITED */
  begin(adminId: string, reply: FastifyReply): void
}

export function limitUploads(openCount: OpenCount = countAlone): UploadLimit {
  const count = openCount('uploads', UPLOADS_PER_ACCOUNT)
  return {
    begin(adminId, { raw }) {
      if (count.of(adminId) >= UPLOADS_PER_ACCOUNT)
        throw new Failure('RATE_LIMITED', { retryAfterSecs: RETRY_AFTER_S })
      count.add(adminId, 1)
      finished(raw, () => count.add(adminId, -1))
    },
  }
}
