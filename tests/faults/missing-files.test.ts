import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { openMedia, readConfig } from '@solstice/adapters'
import type { PlayoutState } from '@solstice/playout'
import type { MediaStorage } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { startS3 } from '../harness/servers/s3.ts'
import { openBus } from '../harness/stations/bus.ts'
import { prepareStation, type Station } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

t.jobs = 3
const SECONDS = 2
const tones = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'].map((name, i) => ({
  name,
  hz: 400 + 100 * i,
  seconds: SECONDS,
}))
const idOf = (name: string) => `day/${name}.mp3`

/** The storage as the station's processes see it. */
async function openStorage(t: Test, { env }: Station): Promise<MediaStorage> {
  const media = await openMedia(readConfig(env).config, pino({ level: 'silent' }))
  t.teardown(() => media.close())
  return media
}

async function without(media: MediaStorage, id: string): Promise<{ putBack(): Promise<void> }> {
  const chunks: Buffer[] = []
  for await (const chunk of await media.open(id)) chunks.push(chunk)
  await media.delete(id)
  return { putBack: () => media.put(id, Buffer.concat(chunks)) }
}

/** The states of the air, in order. */
async function followAir(t: Test, station: Station) {
  const { bus } = await openBus(t, station.env.REDIS_URL!)
  const states: PlayoutState[] = []
  t.teardown(await bus.follow((state) => void states.push(state)))
  return {
    bus,
    states,
    /** Resolves with the first saved state that matches, the current one or a later one. */
    async until(isSo: (state: PlayoutState) => boolean): Promise<PlayoutState> {
      let at = Math.max(0, states.length - 1)
      await until(String(isSo), () => {
        while (at < states.length && !isSo(states[at]!)) at++
        return at < states.length
      })
      return states[at]!
    },
  }
}

const current = ({ onAir }: PlayoutState) => (onAir.phase === 'track' ? onAir : null)
const currentId = (state: PlayoutState) => current(state)?.entry.track.id
const idsOf = ({ playlist, prepared }: PlayoutState) =>
  new Set([...playlist.entries, ...(prepared.day?.entries ?? [])].map(({ track }) => track.id))

for (const storage of ['local', 'cloud'])
  t.test(
    `T7: in sync mode a song without a file is skipped at once (${storage})`,
    { buffered: true },
    async (t) => {
      const s3 = storage === 'cloud' ? await startS3(t) : null
      const station = await prepareStation(t, tones, {
        STREAM_MODE: 'false',
        MEDIA_STORAGE: 'local',
        ...(await s3?.env('music')),
      })
      const media = await openStorage(t, station)
      await without(media, idOf('One'))
      const two = await without(media, idOf('Two'))
      const air = await followAir(t, station)
      await station.startWorker()

      const first = await air.until((state) => current(state) !== null && state.prepared.day !== undefined)
      t.same([...idsOf(first)].sort(), ['Three', 'Four', 'Five', 'Six'].map(idOf).sort())
      t.same(first.unplayable, [], 'a file missing from the start is in no list')

      const heard = await air.until((state) => {
        const { playlist } = state
        return current(state) !== null && playlist.entries[playlist.index + 1]?.track.id !== currentId(state)
      })
      const goneId = currentId(heard)!
      const gone = await without(media, goneId)
      const { entry, startedAtMs } = current(heard)!
      const next = await air.until((state) => current(state)?.entry.entryId !== entry.entryId)
      t.equal(
        current(next)?.startedAtMs,
        startedAtMs + entry.track.durationMs!,
        'a song whose file goes while it is heard ends where it ends',
      )
      const leftOut = await air.until(({ unplayable }) => unplayable.includes(goneId))
      for (let songs = 0, before = currentId(leftOut); songs < 4; songs++)
        before = currentId(await air.until((state) => currentId(state) !== before))
      const after = air.states.slice(air.states.indexOf(leftOut))
      t.notOk(after.some((state) => currentId(state) === goneId))
      const starts = new Map(after.map((state) => [current(state)?.startedAtMs, current(state)?.entry.track]))
      const gaps = [...starts].filter(([atMs, song], i, all) => {
        const following = all[i + 1]
        return following !== undefined && following[0] !== atMs! + song!.durationMs!
      })
      t.same(gaps, [], 'song follows song without a gap')

      await Promise.all([gone.putBack(), two.putBack()])
      await air.bus.send({ type: 'library-changed' })
      await air.until((state) => currentId(state) === goneId)
      await air.until((state) => currentId(state) === idOf('Two'))
      t.notOk(air.states.some((state) => idsOf(state).has(idOf('One'))))

      const away = {
        async begin() {
          await (s3 ? s3.stop() : rename(station.env.MEDIA_DIR!, `${station.env.MEDIA_DIR} elsewhere`))
        },
        async end() {
          await (s3 ? s3.start() : rename(`${station.env.MEDIA_DIR} elsewhere`, station.env.MEDIA_DIR!))
        },
      }
      await away.begin()
      const songs = new Set<string>()
      const wanted = 3
      await air.until((state) => songs.add(current(state)!.entry.entryId).size > wanted)
      t.same(air.states.at(-1)!.unplayable, [], 'a storage that is away costs no song')
      await air.bus.send({ type: 'library-changed' })
      const lists = await air.until(({ prepared }) => prepared.day !== undefined && !prepared.day.isStale)
      t.ok(idsOf(lists).size > 1, 'nor does it empty the lists')
      await away.end()
    },
  )

t.test(
  'T4: a folder that is away for seconds while songs play: the same songs return',
  { buffered: true },
  async (t) => {
    const station = await prepareStation(t, tones, { MEDIA_STORAGE: 'local' })
    const air = await followAir(t, station)
    await station.startWorker()
    await air.until((state) => current(state) !== null)
    const music = join(station.env.MEDIA_DIR!, 'music')
    await rename(music, `${music} elsewhere`)
    const { unplayable } = await air.until((state) => state.unplayable.length >= 3)
    await rename(`${music} elsewhere`, music)
    await air.until(
      (state) => state.unplayable.length === 0 && unplayable.every((id) => idsOf(state).has(id)),
    )
    await air.until((state) => unplayable.includes(currentId(state) ?? ''))
  },
)
