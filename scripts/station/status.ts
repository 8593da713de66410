import {
  type Config,
  openJobQueue,
  openSpools,
  type RedisAddress,
  reachRedis,
  readClusterStatus,
  shownAddress,
} from '@solstice/adapters'
import type { PlayoutState } from '@solstice/playout'
import {
  countRecords,
  filesOfRecords,
  listMedia,
  type MediaKey,
  type MediaStorage,
  missingFiles,
} from '@solstice/station'
import { sleep } from '../../packages/station/src/core/turns/sleep.ts'
import {
  openIfThere,
  openMediaIfThere,
  placeOfData,
  placeOfMedia,
  readStation,
  silent,
} from './configuration.ts'
import { connectAir, redisOf } from './running.ts'
import { plural, Refusal, reasonOf, say } from './terminal.ts'

/** A dependency that takes longer counts as away. */
const LIMIT_MS = 10_000

/** Prints the configuration and the state of each dependency. @throws Refusal when a required one is away. */
export async function printStatus(args: { json: boolean }): Promise<void> {
  const config = readStation()
  const status = await readStatus(config)
  if (args.json) say(JSON.stringify(status, null, 2))
  else for (const [name, lines] of Object.entries(shown(status))) show(name, lines)
  if (status.away.length > 0) throw new Refusal(`away: ${status.away.join(', ')}`)
}

type Status = Awaited<ReturnType<typeof readStatus>>

async function readStatus(config: Config) {
  const address = await redisOf(config)
  const [data, asked] = await Promise.all([inTime(aboutData(config)), inTime(aboutRedis(address))])
  const redis = 'problem' in asked ? null : asked
  const media = await inTime(aboutMedia(config, 'problem' in data ? null : data.files))
  const away = [
    ...('problem' in data ? ['data'] : []),
    ...('problem' in media ? ['media'] : []),
    ...(redis ? [] : ['redis']),
    ...(redis && !redis.cluster.isOnAir ? ['air'] : []),
    ...(redis && redis.cluster.replicas === 0 ? ['replicas'] : []),
    ...(redis && redis.cluster.jobs === 0 ? ['jobs'] : []),
  ]
  const { files: _, ...aboutRecords } = { files: null, ...data }
  return {
    away,
    data: { place: placeOfData(config), ...aboutRecords },
    media: { place: placeOfMedia(config), ...media },
    redis: {
      host: shownAddress(address),
      answers: redis !== null,
      ...('problem' in asked && { problem: asked.problem }),
    },
    air: redis?.air ?? null,
    processes: redis && {
      replicas: redis.cluster.replicas,
      workersOnAir: Number(redis.cluster.isOnAir),
      workersStandingBy: redis.cluster.standbys,
      jobs: redis.cluster.jobs,
    },
    jobs: redis?.jobs ?? null,
  }
}

async function aboutData(config: Config) {
  const spooled = (await openSpools(config.dataDir).deliveries.all()).length
  const data = await openIfThere(config)
  if (!data) return { records: null, donations: {}, spooled, files: null }
  try {
    const donations = (await data.donations.find()).map(({ status, queue }) =>
      queue ? `${status}, ${queue}` : status,
    )
    return {
      records: await countRecords(data),
      donations: tally(donations),
      spooled,
      files: await filesOfRecords(data),
    }
  } finally {
    await data.close()
  }
}

/** A bucket may hold too many files for a quick count. */
async function aboutMedia(config: Config, files: Awaited<ReturnType<typeof filesOfRecords>> | null) {
  const media = await openMediaIfThere(config)
  if (!media) throw new Refusal('there is no such folder')
  try {
    if (!config.bucket) return await compare(media, Object.values(files ?? {}).flat())
    // Only replies with a body say that a bucket does not exist.
    await media.list('day/status')
    return { files: null }
  } finally {
    await media.close()
  }
}

async function compare(media: MediaStorage, wanted: MediaKey[]) {
  const present = (await listMedia(media)).filter((key) => !key.startsWith('.'))
  const known = new Set(wanted)
  return {
    files: present.length,
    recordsWithoutFile: await missingFiles(media, wanted, new Set(present)),
    filesWithoutRecord: present.filter((key) => !known.has(key)),
  }
}

async function aboutRedis(address: RedisAddress) {
  const redis = await reachRedis(address)
  if (!redis) throw new Refusal('does not answer')
  redis.disconnect()
  const connection = await connectAir(address)
  const jobs = openJobQueue(address, silent)
  try {
    const cluster = await readClusterStatus(connection.redis)
    let state = null as PlayoutState | null
    const unfollow = await connection.bus.follow((now) => {
      state = now
    })
    unfollow()
    const counts: Record<string, number> = {}
    for (const queue of await jobs.board({ offset: 0, limit: 0 }))
      for (const [name, count] of Object.entries(queue.counts)) counts[name] = (counts[name] ?? 0) + count
    return { cluster, air: state && cluster.isOnAir ? onAir(state) : null, jobs: counts }
  } finally {
    await Promise.all([connection.close(), jobs.close()])
  }
}

function onAir({ mode, onAir, isPaused, live }: PlayoutState) {
  const entry = 'entry' in onAir ? onAir.entry : null
  return {
    mode,
    phase: onAir.phase,
    song: entry && `${entry.track.artist} – ${entry.track.title}`,
    isPaused,
    speakers: live.participants.map(({ name, role }) => `${name} (${role})`),
  }
}

async function inTime<T>(answer: Promise<T>): Promise<T | { problem: string }> {
  try {
    return await Promise.race([
      answer,
      sleep(LIMIT_MS, { ref: false }).then(() => Promise.reject(new Error('no answer'))),
    ])
  } catch (error) {
    return { problem: reasonOf(error) }
  }
}

function shown({ data, media, redis, air, processes, jobs }: Status): Record<string, string[]> {
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none'
  const examples = (keys: string[]) => (keys.length > 0 ? `: ${keys.slice(0, 5).join(', ')}` : '')
  return {
    data: [
      data.place,
      ...('problem' in data ? [data.problem] : [data.records ? list(data.records) : 'nothing yet']),
    ],
    media: [
      media.place,
      ...('problem' in media ? [media.problem] : []),
      ...('recordsWithoutFile' in media
        ? [
            plural(media.files, 'file'),
            `${plural(media.recordsWithoutFile.length, 'record')} without file${examples(media.recordsWithoutFile)}`,
            `${plural(media.filesWithoutRecord.length, 'file')} without record${examples(media.filesWithoutRecord)}`,
          ]
        : []),
    ],
    redis: [`${redis.host} ${redis.problem ?? 'answers'}`],
    air: air
      ? [
          `${air.mode}, ${air.phase}${air.song ? `: ${air.song}` : ''}${air.isPaused ? ' (paused)' : ''}`,
          ...(air.speakers.length > 0 ? [`on microphone: ${air.speakers.join(', ')}`] : []),
        ]
      : [!processes ? 'unknown' : processes.workersOnAir ? 'nothing yet' : 'nobody'],
    processes: processes
      ? [
          `${plural(processes.replicas, 'replica')}, ${plural(processes.workersOnAir, 'worker')} on the air, ` +
            `${processes.workersStandingBy} standing by, ${processes.jobs} for jobs`,
        ]
      : ['unknown'],
    jobs: [jobs ? list(jobs) : 'unknown'],
    donations:
      'problem' in data
        ? ['unknown']
        : [
            list(data.donations),
            ...(data.spooled > 0 ? [`${plural(data.spooled, 'delivery', 'deliveries')} in the spool`] : []),
          ],
  }
}

function show(name: string, lines: string[]): void {
  for (const [i, line] of lines.entries()) say(`${(i === 0 ? name : '').padEnd(10)} ${line}`)
}

function tally(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
