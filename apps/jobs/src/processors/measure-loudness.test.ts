import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type Ports, type Processors, readConfig, workJobs } from '@solstice/adapters'
import type { Track } from '@solstice/contracts'
import { libraryChanged } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { makeTone } from '../../../../tests/harness/audio/audio.ts'
import { startRedis, type Teardown, temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { createMeasuring } from './measure-loudness.ts'

const never = new AbortController().signal

interface Place {
  ports: Ports
  warnings: string[]
  /** Path of a track's file. */
  pathOf(id: string): string
  add(id: string, facts?: { addedAt: number }): Promise<void>
}

async function prepare(t: Teardown, env: Record<string, string> = {}): Promise<Place> {
  const [folder, redis] = await Promise.all([temporaryFolder(t), startRedis(t)])
  const place = { DATA_DIR: join(folder, 'data'), MEDIA_DIR: join(folder, 'media') }
  const warnings: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line).msg) })
  const ports = await connect(
    readConfig({ JWT_SECRET: 'x', REDIS_URL: redis.url, ...place, ...env }).config,
    log,
  )
  t.teardown(() => ports.close())
  const pathOf = (id: string) => join(folder, 'media/music', id)
  return {
    ports,
    warnings,
    pathOf,
    async add(id, facts) {
      const about = {
        title: id,
        artist: 'Somebody',
        album: '',
        year: null,
        duration: 2,
        mode: 'day' as const,
      }
      const track: Track = { id, ...about, filename: id.slice(4), storageKey: id }
      await ports.data.tracks.insert({ ...track, ...facts })
    },
  }
}

t.test('every track is measured once, and again when its file was replaced', async (t) => {
  const { ports, pathOf, add, warnings } = await prepare(t)
  const { data } = ports
  const told: string[] = []
  const send: Ports['bus']['send'] = (command) => {
    told.push(command.type)
    return ports.bus.send(command)
  }
  const fresh = () => createMeasuring({ ...ports, bus: { ...ports.bus, send } })
  const ids = ['day/a.mp3', 'day/b.mp3', 'day/noise.mp3', 'day/no file.mp3']
  await Promise.all(['a', 'b'].map((name) => makeTone(pathOf(`day/${name}.mp3`), { hz: 440, seconds: 2 })))
  await writeFile(pathOf('day/noise.mp3'), Buffer.alloc(9_000, 'no sound'))
  for (const id of ids) await add(id)
  await data.measurements.put({ ...nothing, trackId: 'day/gone.mp3' })
  await data.waveforms.put({ trackId: 'day/gone.mp3', peaks: '' })

  await fresh()(never)
  const measured = await data.measurements.find()
  t.same(measured.map(({ trackId }) => trackId).sort(), ids.slice(0, 3), 'and what is gone is forgotten')
  t.ok((await data.measurements.get(ids[0]!))!.lufs! < -5)
  t.match(await data.measurements.get(ids[2]!), { lufs: null, endMs: null }, 'noise is not tried again')
  const waveforms = await data.waveforms.find()
  t.equal(Buffer.from(waveforms.find(({ trackId }) => trackId === ids[1])!.peaks, 'base64').length, 800)
  t.equal(waveforms.length, 3)
  t.same(told, ['cue-points-changed'], 'the air is told')
  t.same(warnings, [])

  await fresh()(never)
  t.equal(told.length, 1, 'nothing is measured a second time')

  await makeTone(pathOf(ids[0]!), { hz: 440, seconds: 1, volume: 0.5 })
  await utimes(pathOf(ids[0]!), 1, 1)
  await fresh()(never)
  const other = await data.measurements.get(ids[0]!)
  t.ok(other!.lufs! < measured.find(({ trackId }) => trackId === ids[0])!.lufs! - 10)
  t.equal(other?.modifiedMs, 1000)
})

t.test('an interrupted run continues where it stopped, the newest track first', async (t) => {
  const { ports, pathOf, add } = await prepare(t)
  for (const [i, name] of ['old', 'new', 'newest'].entries()) {
    await makeTone(pathOf(`day/${name}.mp3`), { hz: 440, seconds: 1 })
    await add(`day/${name}.mp3`, { addedAt: 1000 + i })
  }
  const stopping = new AbortController()
  const order: string[] = []
  const loudnessMeter: Ports['loudnessMeter'] = {
    measure(source, signal) {
      order.push(source.replace(/.*\//, ''))
      if (order.length === 2) stopping.abort()
      return ports.loudnessMeter.measure(source, signal)
    },
  }
  await t.rejects(createMeasuring({ ...ports, loudnessMeter })(stopping.signal), { name: 'AbortError' })
  t.same(order, ['newest.mp3', 'new.mp3'])
  t.equal((await ports.data.measurements.find()).length, 1, 'what was measured is kept')
  await createMeasuring({ ...ports, loudnessMeter })(never)
  t.same(order.slice(2), ['new.mp3', 'old.mp3'])
})

t.test('all measurements are read once, and again only after tracks were added', async (t) => {
  const { ports, pathOf, add } = await prepare(t)
  const { data } = ports
  for (const name of ['a', 'b', 'c', 'late'])
    await makeTone(pathOf(`day/${name}.mp3`), { hz: 440, seconds: 1 })
  for (const [i, name] of ['a', 'b', 'c'].entries()) await add(`day/${name}.mp3`, { addedAt: i })
  const asked: string[] = []
  const measured: string[] = []
  const { measurements } = data
  const [get, find] = [measurements.get.bind(measurements), measurements.find.bind(measurements)]
  const counting: Pick<typeof measurements, 'get' | 'find'> = {
    get(id) {
      asked.push(id)
      return get(id)
    },
    find(where) {
      asked.push('all')
      return find(where)
    },
  }
  Object.assign(measurements, counting)
  const loudnessMeter: Ports['loudnessMeter'] = {
    async measure(source, signal) {
      measured.push(source.replace(/.*\//, ''))
      if (measured.length === 2) await add('day/late.mp3', { addedAt: 9 })
      return ports.loudnessMeter.measure(source, signal)
    },
  }
  // Saved after each track.
  await createMeasuring({ ...ports, loudnessMeter }, 0)(never)
  t.same(measured, ['c.mp3', 'b.mp3', 'late.mp3', 'a.mp3'], 'who comes in between is next')
  t.same(asked, ['all', 'all'])
  t.equal((await find()).length, 4)
})

t.test('without ffmpeg nothing is measured, and one warning is logged', async (t) => {
  const { ports, pathOf, add, warnings } = await prepare(t, { FFMPEG_PATH: '/no/such/ffmpeg' })
  await makeTone(pathOf('day/a.mp3'), { hz: 440, seconds: 1 })
  await add('day/a.mp3')
  const measure = createMeasuring(ports)
  for (const _ of ['once', 'again']) await measure(never)
  t.same(await ports.data.measurements.find(), [])
  t.same(warnings, ['ffmpeg could not be started; tracks play as they are'])
})

t.test(
  'when the library changes while tracks are measured, they are looked at once more, one job at a time',
  async (t) => {
    const { ports } = await prepare(t)
    let [running, most, times] = [0, 0, 0]
    const [begun, mayEnd, done] = [gate(), gate(), gate()]
    const processors = {
      async 'measure-loudness'() {
        times++
        most = Math.max(most, ++running)
        begun.open()
        await mayEnd.opened
        running--
        if (times === 2) done.open()
      },
    } as unknown as Processors
    const worker = await workJobs(ports.config.redis, processors, [], pino({ level: 'silent' }))
    t.teardown(() => worker.close())
    // Nobody is on air, so no confirmation is awaited.
    libraryChanged(ports)
    await begun.opened
    for (let i = 0; i < 3; i++)
      await ports.jobs.add('measure-loudness', {}, { id: 'measure-loudness', requeueIfActive: true })
    mayEnd.open()
    await done.opened
    t.equal(most, 1)
  },
)

const nothing = { size: 1, modifiedMs: 1, lufs: null, peakDb: null, isMono: false, startMs: 0, endMs: null }

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}
