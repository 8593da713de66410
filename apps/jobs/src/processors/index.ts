import type { Ports, Processors } from '@solstice/adapters'
import {
  capabilitiesOf,
  createAudit,
  deleteClips,
  deleteTracks,
  deliverWebhooks,
  editTrack,
  importVideo,
  MAX_LISTED,
  moveClips,
  moveTracks,
  queueDonation,
  sendMail,
  sendNotification,
  sweepEvents,
  sweepNotifications,
} from '@solstice/station'
import { makeDemoLibrary } from './demo/demo-library.ts'
import { lyricsBatch } from './lyrics-batch.ts'
import { createMeasuring, measureTrack } from './measure-loudness.ts'
import { pollDonations } from './poll-donations.ts'
import { prefetchLyrics } from './prefetch-lyrics.ts'
import { purgeAccounts } from './purge-accounts.ts'
import { purgeExpired } from './purge-expired.ts'
import { createPictureReading } from './read-pictures.ts'
import { reconcileMedia } from './reconcile-media.ts'
import { savedAir } from './saved-air.ts'
import { sweepDonations } from './sweep-donations.ts'

/** The processor of each job. */
export function processorsOf(ports: Ports): Processors {
  const audit = createAudit({ ...ports, isOn: capabilitiesOf(ports.config).auditLog })
  const measure = createMeasuring(ports)
  const readPictures = createPictureReading(ports)
  const deps = { ...ports, audit }
  const readAir = () => savedAir(ports.bus)
  const video = { ...deps, hosts: ports.config.videoSiteHosts }
  return {
    'reconcile-media': () => reconcileMedia(ports),
    'demo-library': (_, { stopping }) => makeDemoLibrary(ports, stopping),
    'purge-expired': () => purgeExpired(ports),
    'purge-accounts': () => purgeAccounts(ports),
    'queue-donation': ({ donationId }, { stopping }) => queueDonation(deps, donationId, stopping),
    'poll-donations': (_, { jobId }) => pollDonations(ports, jobId),
    'sweep-donations': () => sweepDonations(ports),
    'sweep-notifications': async () => {
      const counts = await sweepNotifications({ ...ports, readAir })
      if (counts.due + counts.over > 0) ports.log.info(counts, 'notifications swept')
    },
    'send-notification': ({ id }) => sendNotification({ ...ports, readAir }, id),
    'sweep-events': async () => {
      const counts = await sweepEvents({ ...ports, readAir, sendsMail: ports.mailer !== null })
      if (counts.messages > 0) ports.log.info(counts, 'events recorded')
    },
    'send-mail': async () => {
      if (ports.mailer) await sendMail({ ...ports, mailer: ports.mailer, station: ports.config })
    },
    'deliver-webhooks': ({ webhookId }, { stopping }) => deliverWebhooks(deps, webhookId, stopping),
    'measure-loudness': (_, { stopping }) => measure(stopping),
    'measure-track': ({ trackId }, { stopping }) => measureTrack(ports, trackId, stopping),
    'read-pictures': (_, context) => readPictures(context),
    'prefetch-lyrics': (_, { stopping }) => prefetchLyrics(ports, stopping),
    'lyrics-batch': (data, context) => lyricsBatch(deps, data, context),
    'edit-track': (data, context) => editTrack(deps, data, context),
    'delete-tracks': (data, context) => deleteTracks(deps, data, context),
    'move-tracks': (data, context) => moveTracks(deps, data, context),
    'delete-clips': (data, context) => deleteClips(deps, data, context),
    'move-clips': (data, context) => moveClips(deps, data, context),
    'import-video': (data, context) => importVideo(video, data, context),
    'list-videos': ({ url }, { stopping }) => ports.videoTools.list(url, MAX_LISTED, stopping),
  }
}
