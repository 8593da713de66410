import { Readable } from 'node:stream'
import { streamBackup, withSpooled } from '@solstice/adapters'
import { administration } from '@solstice/contracts'
import {
  type Audit,
  type DataStore,
  dateNow,
  Failure,
  type MediaStorage,
  type Spools,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../http/implement.ts'

export interface BackupDeps {
  data: DataStore
  media: MediaStorage
  spools: Spools
  clock: WallClock
  audit: Audit
}

/** A download that takes no byte for so long is broken off, because nobody else can begin one. */
const STALLED_MS = 120_000

/** The download of a backup, no faster than it is taken. The right to it is asked for again after each file. */
export function backupRoutes(app: FastifyInstance, deps: BackupDeps): void {
  const { data, spools, audit } = deps
  let isRunning = false

  implement(app, administration.downloadBackup, async ({ caller, query, request, reply }) => {
    const send = (body: Readable) =>
      reply
        .type('application/gzip')
        .header('content-disposition', `attachment; filename="solstice-${stamp(dateNow(deps.clock))}.tar.gz"`)
        .send(body)
    if (request.method === 'HEAD') return send(Readable.from([]))
    if (isRunning) throw new Failure('BACKUP_RUNNING')
    isRunning = true
    try {
      await audit.record(caller, 'backup_download', { media: query.media })
      const contents = withSpooled(data, await spools.deliveries.all())
      const media = query.media ? deps.media : null
      const left = new AbortController()
      const mayGoOn = async () => void (await app.gate.admit(administration.downloadBackup, request, 0))
      const source = { data, media, isRunning: true, contents }
      const { archive } = streamBackup(source, left.signal, mayGoOn)
      archive.once('close', () => {
        isRunning = false
      })
      archive.once('error', (error) => request.log.warn({ err: error }, 'backup download broken off'))
      reply.raw.once('close', () => left.abort())
      reply.raw.setTimeout(STALLED_MS, () => reply.raw.destroy())
      return send(archive)
    } catch (error) {
      isRunning = false
      throw error
    }
  })
}

/** `2026-11-22T12-00-00Z` */
function stamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
}
