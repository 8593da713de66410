import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { makeTone } from '../audio/audio.ts'
import { temporaryFolder } from '../processes/processes.ts'
import { openApp } from '../stations/app.ts'
import { asAdmin, SUPER_ADMIN } from './admin.ts'

export const FILE = 'POST /api/admin/upload-song-file'

const COMMIT = 'POST /api/admin/upload-song-commit'

/** Holds the sounds of one test file. */
export const sounds = await temporaryFolder(t)

const tonePath = join(sounds, 'tone.mp3')

await makeTone(tonePath, { hz: 440, seconds: 1, title: 'Тиша', artist: 'Hilda', album: 'Shores' })

export const tone = await readFile(tonePath)

/** For what is about files in a folder. */
export const LOCAL = { MEDIA_STORAGE: 'local' }

/** A station, and ways to upload to it as the super admin. */
export async function openStation(t: Test, env: Record<string, string> = {}) {
  const station = await openApp(t, { ...SUPER_ADMIN, ...env })
  const { ask, token } = await asAdmin(station)
  const media = join(station.folder, 'media')
  return {
    ...station,
    ask,
    token,
    media,
    upload: (name: string, bytes: Uint8Array = tone, query = '', as = ask) =>
      as(`${FILE}${query}`, bytes, { 'content-type': 'audio/mpeg', 'x-file-name': encodeURIComponent(name) }),
    commit: (metadata: object, lyricsEntry?: object) =>
      ask(COMMIT, { metadata, ...(lyricsEntry && { lyricsEntry }) }),
    /** All files below the media folder; of a bucket, all tracks and uploads under the names they would have there. */
    async files(): Promise<string[]> {
      const folders = ['.staged/day', '.staged/night', 'day', 'night']
      if (station.ports.config.bucket)
        return (await Promise.all(folders.map(station.ports.media.list)))
          .flat()
          .map((key) => key.replace(/^(day|night)/, 'music/$1'))
      const entries = await readdir(media, { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(media.length + 1))
        .sort()
    },
  }
}
