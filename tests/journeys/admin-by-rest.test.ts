import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { makeTone } from '../harness/audio/audio.ts'
import { root, start, temporaryFolder } from '../harness/processes/processes.ts'
import { prepareStation } from '../harness/stations/station.ts'
import { useStores } from '../harness/stations/stores.ts'
import { timeZoneAt } from '../harness/stations/time-zone.ts'

useStores('sql+cloud')

t.test('an operator can run a station with the commands of docs/admin-by-rest.md', async (t) => {
  // Enough for a list of its own: a smaller library would repeat, and the new song could then come next by chance.
  const tones = Array.from({ length: 12 }, (_, i) => ({ name: `Song ${i}`, hz: 300 + 50 * i, seconds: 30 }))
  // The programme switches to the night, which needs music then.
  const owl = { name: 'Owl', hz: 990, seconds: 30, mode: 'night' as const }
  const station = await prepareStation(t, [...tones, owl], {
    NIGHT_MODE: 'true',
    DAY_START_HOUR: '0',
    NIGHT_START_HOUR: '23',
    // Always early in the day, so that the night is far off whenever this runs.
    TIME_ZONE: timeZoneAt(9),
    DEMO_LIBRARY: 'false',
    ADMIN_LOGIN: 'admin',
    ADMIN_PASS: 'Correct horse 1',
  })
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
  const folder = await temporaryFolder(t)
  const song = join(folder, 'song.mp3')
  await makeTone(song, { hz: 440, seconds: 3, title: 'x', artist: 'y' })

  const page = await readFile(join(root, 'docs/admin-by-rest.md'), 'utf8')
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, lines]) => lines)
  t.ok(blocks.length > 10, 'the page has its lines')
  const script = `set -euo pipefail\ncd "${folder}"\n${blocks.join('\n')}`
  const shell = start(t, 'bash', ['-c', script], {
    STATION: url,
    ADMIN_LOGIN: 'admin',
    ADMIN_PASS: 'Correct horse 1',
    SONG: song,
  })
  t.equal(await shell.exited, 0, shell.output)
  const [
    role,
    exists,
    lyrics,
    id,
    songs,
    album,
    night,
    day,
    batch,
    count,
    found,
    inserted,
    saved,
    jingle,
    ...rest
  ] = shell.output.trim().split('\n')
  t.match(
    { role, exists, lyrics, id, songs },
    {
      role: 'super_admin',
      exists: 'false',
      lyrics: 'none',
      id: 'day/First light.mp3',
      songs: '13',
    },
  )
  t.match(
    { album, night, day, batch },
    {
      album: 'Shores',
      night: 'night/First light.mp3',
      day: 'day/First light.mp3',
      batch: 'kept',
    },
  )
  t.match(
    { count, found, inserted, saved, jingle },
    {
      count: '1',
      found: '1',
      inserted: '1',
      saved: /settings are saved/,
      jingle: 'Station call.mp3',
    },
  )
  const [usable, switched, privileges, audited, ofHilda, deleted, failed] = rest
  t.match(
    { usable, switched, privileges, ofHilda, deleted, failed },
    {
      usable: '1',
      switched: 'true',
      privileges: 'editor_lyrics,stats',
      ofHilda: '1',
      deleted: '1',
      failed: '0 of jobs failed',
    },
  )
  for (const operation of [
    'upload_song',
    'edit_song_meta',
    'group_create',
    'group_insert',
    'settings_save',
    'mode_switch',
  ])
    t.match(audited, operation)
})
