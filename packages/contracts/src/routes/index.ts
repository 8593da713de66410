import type { Route } from '../route.ts'
import * as webhooks from '../webhooks/routes.ts'
import * as administration from './administration.ts'
import * as aircheck from './aircheck.ts'
import * as donations from './donations/donations.ts'
import * as jobs from './jobs.ts'
import * as artwork from './library/artwork.ts'
import { backgroundMusic, jingles, listJingleChoices, phrases } from './library/clips.ts'
import * as groups from './library/groups.ts'
import * as lyrics from './library/lyrics.ts'
import * as trackEditor from './library/track-editor.ts'
import * as tracks from './library/tracks.ts'
import * as uploads from './library/uploads.ts'
import * as video from './library/video.ts'
import * as directories from './listening/directories.ts'
import * as listening from './listening/listening.ts'
import * as nowPlaying from './listening/now-playing.ts'
import * as sharing from './listening/sharing.ts'
import * as status from './listening/status.ts'
import * as notifications from './notifications.ts'
import * as operations from './operations.ts'
import * as session from './session.ts'

/** Every route of the service, by the section of the reference that it stands in. */
export const sections: Record<string, readonly Route[]> = {
  listening: [...Object.values(listening), ...Object.values(nowPlaying), ...Object.values(status)],
  directories: Object.values(directories),
  sharing: Object.values(sharing),
  session: Object.values(session),
  uploads: Object.values(uploads),
  video: Object.values(video),
  tracks: [...Object.values(tracks), ...Object.values(trackEditor)],
  lyrics: Object.values(lyrics),
  artwork: Object.values(artwork),
  clips: [
    ...[jingles, phrases, backgroundMusic].flatMap((family) => Object.values(family)),
    listJingleChoices,
  ],
  groups: Object.values(groups),
  donations: Object.values(donations),
  notifications: Object.values(notifications),
  administration: Object.values(administration),
  aircheck: [
    aircheck.getAircheckDay,
    aircheck.getAircheckMoment,
    aircheck.getAircheckSound,
    aircheck.getAircheckShow,
  ],
  jobs: Object.values(jobs),
  webhooks: Object.values(webhooks),
  operations: Object.values(operations),
}

export const allRoutes: readonly Route[] = Object.values(sections).flat()
