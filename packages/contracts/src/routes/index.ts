import type { Route } from '../route.ts'
import * as administration from './administration.ts'
import * as artwork from './artwork.ts'
import { backgroundMusic, jingles, phrases } from './clips.ts'
import * as donations from './donations.ts'
import * as groups from './groups.ts'
import * as jobs from './jobs.ts'
import * as listening from './listening.ts'
import * as lyrics from './lyrics.ts'
import * as operations from './operations.ts'
import * as session from './session.ts'
import * as trackEditor from './track-editor.ts'
import * as tracks from './tracks.ts'
import * as uploads from './uploads.ts'
import * as video from './video.ts'

/** Every route of the service, by the section of the reference that it stands in. */
export const sections: Record<string, readonly Route[]> = {
  listening: Object.values(listening),
  session: Object.values(session),
  uploads: Object.values(uploads),
  video: Object.values(video),
  tracks: [...Object.values(tracks), ...Object.values(trackEditor)],
  lyrics: Object.values(lyrics),
  artwork: Object.values(artwork),
  clips: [jingles, phrases, backgroundMusic].flatMap((family) => Object.values(family)),
  groups: Object.values(groups),
  donations: Object.values(donations),
  administration: Object.values(administration),
  jobs: Object.values(jobs),
  operations: Object.values(operations),
}

export const allRoutes: readonly Route[] = Object.values(sections).flat()
