import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Mode } from '@solstice/contracts'
import {
  collectionNames,
  createAudit,
  Deferred,
  deleteClips,
  deleteTracks,
  type EditorDeps,
  editTrack,
  Failure,
  lyricsKey,
  moveClips,
  moveTracks,
  type Run,
} from '@solstice/station'
import t from 'tap'
import { makeTone } from '../harness/audio/audio.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'
import { type OpenApp, openApp } from '../harness/stations/app.ts'

type Ports = OpenApp['ports']

const HELPER = { adminId: '5b0ab4a4-2f3c-4c3e-9d7a-b0e0a4b6a111', login: 'helper' }
const CHANGES = ['insert', 'put', 'update', 'delete']
const USES_OF_FILES = ['stat', 'open', 'put', 'copy', 'delete']

/** An air that releases every track; releasing the right ones is another test's concern. */
const bus = { send: async () => ({ ok: true, removed: 0 }) } as unknown as Ports['bus']

/** Ports of a station whose stores answer a number of times and are away from then on. */
function awayAfter(ports: Ports, answers: number): { ports: Ports; wasAway(): boolean } {
  let left = answers
  const failing = <T extends object>(store: T, methods: string[], failure: Failure): T =>
    new Proxy(store, {
      get(target, name) {
        const value = target[name as keyof T]
        if (typeof value !== 'function') return value
        if (!methods.includes(String(name))) return value.bind(target)
        return async (...given: unknown[]) => {
          if (left-- <= 0) throw failure
          return value.apply(target, given)
        }
      },
    })
  const data = { ...ports.data }
  const away = new Failure('DATA_UNAVAILABLE', { retryAfterSecs: 5 })
  for (const name of collectionNames) Object.assign(data, { [name]: failing(data[name], CHANGES, away) })
  const bucketAway = new Failure('STORAGE_WRITE_FAILED', { reason: 'away' })
  const media = failing(ports.media, USES_OF_FILES, bucketAway)
  return { ports: { ...ports, data, media }, wasAway: () => left < 0 }
}

/** The runs of one job: each goes on from the notes that the runs before it kept. */
function runsOf(jobId: string): () => Run {
  let notes: unknown
  return () => ({
    jobId,
    stopping: new AbortController().signal,
    notes: structuredClone(notes),
    keep: async (_, __, kept) => {
      notes = structuredClone(kept)
    },
  })
}

const depsOf = (ports: Ports): EditorDeps => ({
  ...ports,
  bus,
  audit: createAudit({ ...ports, isOn: true }),
})

interface Pair {
  ids: [string, string]
  titles: [string, string]
}

/** Two songs with every kind of record about songs. */
async function addPair(station: OpenApp, file: string, name: string): Promise<Pair> {
  const { data, media } = station.ports
  const titles: Pair['titles'] = [`${name} a`, `${name} b`]
  const ids = titles.map((title) => `day/${title}.mp3`) as Pair['ids']
  await Promise.all(
    ids.map(async (id, i) => {
      const title = titles[i]!
      await media.put(id, createReadStream(file))
      await station.addTrack(id, null, { title, artist: 'Somebody', duration: 600 })
      await data.lyrics.put({
        key: lyricsKey('Somebody', title),
        synced: false,
        lines: [{ time: 0, text: 'la' }],
      })
      const sound = { size: 1, modifiedMs: 1, lufs: -14, peakDb: -1, isMono: false, startMs: 0, endMs: null }
      await data.measurements.put({ trackId: id, ...sound })
      await data.waveforms.put({ trackId: id, peaks: '' })
      await data.trackCovers.put({ trackId: id, size: 1, modifiedMs: 1, coverId: null })
    }),
  )
  const group = {
    id: name,
    name,
    nameKey: name,
    mode: 'day' as const,
    songs: [...ids],
    createdAt: 1,
    revision: 1,
  }
  await data.groups.put(group)
  return { ids, titles }
}

/** All records of a pair, without its name. */
async function remembered({ data, media, tags }: Ports, name: string) {
  const about = (text: string) => text.includes(`${name} `)
  const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(name, 'x'))
  const files: Record<string, string> = {}
  for (const mode of ['day', 'night'] as Mode[])
    for (const key of (await media.list(mode)).filter(about))
      files[key] = (await tags.read(await media.source(key))).title ?? ''
  const [tracks, lyrics, offsets, measured, waveforms, covers, audit, group] = await Promise.all([
    data.tracks.find(),
    data.lyrics.find(),
    data.offsets.find(),
    data.measurements.find(),
    data.waveforms.find(),
    data.trackCovers.find(),
    data.audit.find(),
    data.groups.get(name),
  ])
  return plain({
    files,
    tracks: tracks
      .filter(({ id }) => about(id))
      .map(({ id, title, mode }) => [id, title, mode])
      .sort(),
    lyrics: lyrics
      .filter(({ key }) => about(key))
      .map(({ key, lines }) => [key, lines[0]?.text])
      .sort(),
    offsets: offsets.filter(({ key }) => about(key)).map(({ key, offset }) => [key, offset]),
    measured: [measured, waveforms, covers].map((all) =>
      all
        .map((one) => one.trackId)
        .filter(about)
        .sort(),
    ),
    audit: audit
      .flatMap((one) =>
        about(JSON.stringify(one.data)) ? `${one.operationType} ${JSON.stringify(one.data)}` : [],
      )
      .sort(),
    songs: group?.songs ?? null,
  })
}

t.test('a change interrupted by a store at any step ends later as if it had been done once', async (t) => {
  const station = await openApp(t, {
    NIGHT_MODE: 'false',
    DEMO_LIBRARY: 'false',
    DELETE_QUOTA_PER_DAY: '100000',
  })
  const { ports } = station
  const file = join(await temporaryFolder(t), 'tone.mp3')
  await makeTone(file, { hz: 440, seconds: 1, title: 'As tagged', artist: 'Somebody' })

  const given = { scope: 'library', actor: HELPER } as const
  const lyrics = { synced: false, lines: [{ time: 0, text: 'new' }] }
  const kinds: Record<string, (deps: EditorDeps, pair: Pair, run: Run) => Promise<unknown>> = {
    edited: (deps, { ids: [songId], titles: [title] }, run) =>
      editTrack(
        deps,
        {
          songId,
          tags: { title: `${title} new`, artist: 'Somebody', album: '', year: 2000 },
          lyrics,
          offset: 1,
          actor: HELPER,
        },
        run,
      ),
    moved: (deps, { ids }, run) => moveTracks(deps, { ...given, songIds: ids, targetMode: 'night' }, run),
    deleted: (deps, { ids }, run) => deleteTracks(deps, { ...given, songIds: ids }, run),
  }

  for (const [kind, change] of Object.entries(kinds)) {
    await t.test(kind, async (t) => {
      const attempt = async (answers: number) => {
        const name = `${kind}${answers}`
        const pair = await addPair(station, file, name)
        const before = await remembered(ports, name)
        const run = runsOf(name)
        const faulty = awayAfter(ports, answers)
        const first = await change(depsOf(faulty.ports), pair, run()).catch((error) => error)
        let answer = first
        if (first instanceof Deferred) {
          // The retry is interrupted as well, elsewhere.
          const away = depsOf(awayAfter(ports, (answers * 4) % 7).ports)
          answer = await change(away, pair, run()).catch((error) => error)
          if (answer instanceof Deferred) answer = await change(depsOf(ports), pair, run())
        }
        const isRefused = answer instanceof Failure || /"ok":false/.test(JSON.stringify(answer))
        return {
          isRefused,
          isInterrupted: first instanceof Deferred,
          wasAway: faulty.wasAway(),
          before,
          after: await remembered(ports, name),
          name,
        }
      }
      const whole = await attempt(1_000_000)
      t.notOk(whole.isRefused || whole.isInterrupted)
      let interrupted = 0
      for (let answers = 0; ; answers++) {
        const { isRefused, isInterrupted, wasAway, before, after, name } = await attempt(answers)
        if (!wasAway) break
        interrupted += Number(isInterrupted)
        t.notOk(isInterrupted && isRefused, `after ${answers} answers: what was begun is not refused`)
        const expected = JSON.parse(JSON.stringify(isRefused ? before : whole.after))
        t.same(after, expected, `after ${answers} answers: ${isRefused ? 'nothing was changed' : 'all was'}`)
        if (kind !== 'deleted' || isRefused) continue
        const [key] = await ports.redis.keys(`solstice:deletions:${HELPER.adminId}:*`)
        t.equal(await ports.redis.hget(key!, name), '2', 'both count once')
      }
      t.ok(interrupted > 5, `${interrupted} times it was interrupted`)
    })
  }
})

t.test('a change of clips interrupted by a store ends later as if it had been done once', async (t) => {
  const { ports } = await openApp(t, {})
  const { data, media } = ports
  type ClipChange = (ports: Ports, ids: string[], run: Run) => Promise<unknown>
  const OTHER = 'jingles/day/other.mp3'
  const about = { family: 'jingles', actor: HELPER } as const
  const kinds: Record<string, ClipChange> = {
    moved: (ports, ids, run) => moveClips(depsOf(ports), { ...about, ids, targetMode: 'night' }, run),
    deleted: (ports, ids, run) => deleteClips(depsOf(ports), { ...about, ids }, run),
  }
  for (const [kind, change] of Object.entries(kinds)) {
    await t.test(kind, async (t) => {
      const attempt = async (answers: number) => {
        const name = `${kind}${answers}`
        const ids = [`${name} a`, `${name} b`]
        const key = (id: string, mode: Mode) => `jingles/${mode}/${id}.mp3`
        for (const id of ids) {
          await media.put(key(id, 'day'), Buffer.from(id))
          const filename = `${id}.mp3`
          const facts = { duration: 1, used: true, createdAt: 1 }
          await data.clips.insert({
            id,
            family: 'jingles',
            filename,
            nameKey: filename,
            mode: 'day',
            ...facts,
          })
        }
        const seen = async () => {
          const isOurs = (text: string) => text.includes(`${name} `)
          const files = [...(await media.list('jingles/day')), ...(await media.list('jingles/night'))]
          const records = (await data.clips.find()).filter(({ id }) => isOurs(id))
          const audit = (await data.audit.find()).flatMap(({ operationType, data }) =>
            isOurs(JSON.stringify(data)) ? [`${operationType} ${JSON.stringify(data)}`] : [],
          )
          const found = {
            files: files.filter(isOurs),
            records: records.map(({ id, mode }) => [id, mode]),
            audit,
          }
          return JSON.parse(JSON.stringify(found).replaceAll(name, 'x'))
        }
        const before = await seen()
        const run = runsOf(name)
        const faulty = awayAfter(ports, answers)
        const first = await change(faulty.ports, ids, run()).catch((error) => error)
        if (first instanceof Deferred) {
          const leased = await ports.redis.keys(`solstice:lease:jingles/${name} *`)
          t.equal(leased.length, 2, 'nobody else changes them meanwhile')
          const replaced: string[] = []
          for (const name of ids.map((id) => key(id, 'day')))
            if (kind === 'deleted' && (await media.copy(OTHER, name))) replaced.push(name)
          const second = await change(awayAfter(ports, answers % 5).ports, ids, run()).catch((error) => error)
          const answer = second instanceof Deferred ? await change(ports, ids, run()) : second
          t.match(answer, { results: ids.map((id) => ({ id, ok: true })) })
          for (const name of replaced) {
            t.equal((await media.stat(name))?.size, 5, 'a new file under a free name stays')
            await media.delete(name)
          }
        }
        return {
          isRefused: first instanceof Failure,
          isInterrupted: first instanceof Deferred,
          before,
          after: await seen(),
          wasAway: faulty.wasAway(),
        }
      }
      await media.put(OTHER, Buffer.from('other'))
      const whole = await attempt(1_000_000)
      let interrupted = 0
      for (let answers = 0; ; answers++) {
        const { isRefused, isInterrupted, before, after, wasAway } = await attempt(answers)
        if (!wasAway) break
        interrupted += Number(isInterrupted)
        t.same(after, isRefused ? before : whole.after, `after ${answers} answers`)
      }
      t.ok(interrupted > 4, `${interrupted} times it was interrupted`)
    })
  }
})
