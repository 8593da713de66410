import type { Ports, Processors } from '@solstice/adapters'
import {
  capabilitiesOf,
  createAudit,
  createEditor,
  createTrackUploads,
  deleteClips,
  importVideo,
  MAX_LISTED,
  moveClips,
  queueDonation,
} from '@solstice/station'
import { makeDemoLibrary } from './demo-library.ts'
import { lyricsBatch } from './lyrics-batch.ts'
import { createMeasuring } from './measure-loudness.ts'
import { pollDonations } from './poll-donations.ts'
import { prefetchLyrics } from './prefetch-lyrics.ts'
import { purgeAccounts } from './purge-accounts.ts'
import { purgeExpired } from './purge-expired.ts'
import { reconcileMedia } from './reconcile-media.ts'
import { sweepDonations } from './sweep-donations.ts'

/** What does each job. */
export function processorsOf(ports: Ports): Processors {
  const audit = createAudit({ ...ports, isOn: capabilitiesOf(ports.config).auditLog })
  const editor = createEditor({ ...ports, audit })
  const measure = createMeasuring(ports)
  const uploads = createTrackUploads({ ...ports, audit })
  const video = { ...ports, uploads, hosts: ports.config.videoSiteHosts }
  return {
    'reconcile-media': () => reconcileMedia(ports),
    'demo-library': (_, { stopping }) => makeDemoLibrary(ports, stopping),
    'purge-expired': () => purgeExpired(ports),
    'purge-accounts': () => purgeAccounts(ports),
    'queue-donation': ({ donationId }, { stopping }) =>
      queueDonation({ ...ports, audit }, donationId, stopping),
    'poll-donations': (_, { jobId }) => pollDonations(ports, jobId),
    'sweep-donations': () => sweepDonations(ports),
    'measure-loudness': (_, { stopping }) => measure(stopping),
    'prefetch-lyrics': (_, { stopping }) => prefetchLyrics(ports, stopping),
    'lyrics-batch': (given, context) => lyricsBatch({ ...ports, audit }, given, context),
    'edit-track': (given, context) => editor.edit(given, context),
    'delete-tracks': (given, context) => editor.remove(given, context),
    'move-tracks': (given, context) => editor.move(given, context),
    'delete-clips': (given, context) => deleteClips({ ...ports, audit }, given, context),
    'move-clips': (given, context) => moveClips({ ...ports, audit }, given, context),
    'import-video': (given, run) => importVideo(video, given, run),
    'list-videos': ({ url }, { stopping }) => ports.videoTools.list(url, MAX_LISTED, stopping),
  }
}
