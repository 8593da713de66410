import type { Mode } from '@solstice/contracts'
import { shownQueue } from '@solstice/playout'
import { artistKey } from '@solstice/station'
import type { Test } from 'tap'
import { SUPER_ADMIN } from '../../harness/people/admin.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { type Air, startAir, startJobs } from '../../harness/stations/workers.ts'

/** Long enough for the test, and short enough for a list of all tracks: the next track stays next. */
const LONG = { duration: 100 }

interface Station extends OpenApp {
  air: Air
  /** Ids of tracks of the current mode that are neither on air nor next. */
  free(): string[]
  locked(): { current: string; next: string }
  ids(mode?: Mode): Promise<string[]>
  /** Fails unless records and files match exactly. */
  assertWhole(t: Test): Promise<void>
  hasFile(id: string): Promise<boolean>
}

/** A station on air, with tracks of these ids, each by a different artist. */
export async function openStation(
  t: Test,
  ids: string[],
  env: Record<string, string> = {},
): Promise<Station> {
  const station = await openApp(t, { ...SUPER_ADMIN, NIGHT_MODE: 'false', ...env })
  const { ports } = station
  await Promise.all(ids.map((id) => station.addTrack(id, undefined, { ...LONG, artist: `Artist of ${id}` })))
  const byDay = await ports.data.tracks.find({ mode: 'day' })
  await Promise.all(
    byDay.map(({ artist }) =>
      ports.data.artists.put({ artist: artistKey(artist), hasArt: false, artFileName: '' }),
    ),
  )
  await startJobs(t, ports)
  const air = await startAir(t, ports)
  const locked = () => {
    const { onAir } = air.state
    if (onAir.phase !== 'track') throw new Error('nothing is on air')
    return { current: onAir.entry.track.id, next: shownQueue(air.state)[0]!.track.id }
  }
  const hasFile = async (id: string) => (await ports.media.stat(id)) !== null
  const idsOf = async (mode?: Mode) =>
    (await ports.data.tracks.find(mode && { mode })).map(({ id }) => id).sort()
  return {
    ...station,
    air,
    locked,
    hasFile,
    ids: idsOf,
    free: () => {
      const { current, next } = locked()
      return ids.filter((id) => id.startsWith('day/') && id !== current && id !== next)
    },
    async assertWhole(t) {
      const files = [...(await ports.media.list('day')), ...(await ports.media.list('night'))].sort()
      t.same(await idsOf(), files, 'every record has its file, every file its record')
    },
  }
}

export const names = (count: number, mode: Mode = 'day') =>
  Array.from({ length: count }, (_, i) => `${mode}/${String(i).padStart(3, '0')}.mp3`)
