import { once } from 'node:events'
import { type Ports, solsticeVersion } from '@solstice/adapters'
import { noHosting } from '@solstice/playout'
import {
  type AirLease,
  createLogbook,
  type FrameChunk,
  type Logbook,
  type MediaKey,
  type MountId,
  mountId,
  type Saved,
  sleep,
} from '@solstice/station'
import { createAir } from './air/air.ts'
import { every } from './air/every.ts'
import { firstStep } from './air/first-step.ts'
import type { AirMemory } from './air/memory.ts'
import { createOutbox, type Outbox } from './air/outbox.ts'
import { createSaveLoop, type SaveLoop } from './air/save-loop.ts'
import { keepSchedule, stationFact } from './air/station-fact.ts'
import {
  broadcastAir,
  canBeHeard,
  catchUp,
  connectMicrophones,
  createAirSound,
  openMicrophones,
} from './air-sound.ts'
import { catchUpFrom } from './audio/beginning.ts'
import { processCommands } from './command-loop.ts'
import { createClipsFeed } from './feeds/clips.ts'
import { createLibraryFeed } from './feeds/library.ts'
import { lookAhead } from './feeds/look-ahead.ts'
import { createProbing } from './feeds/probing.ts'
import { createSecondChance } from './feeds/second-chance.ts'
import type { WorkerMetrics } from './metrics.ts'
import { watchReplicas } from './replica-watch.ts'

/** With nothing else to play, tracks that were left out are retried at this interval: a disk may be back. */
const SECOND_CHANCE_INTERVAL_MS = 20_000
/** Bounds how long the lease is held for the effects of the last states. */
const OUTBOX_TIMEOUT_MS = 2_000

/**
 * The engine's shell, while the lease is held: inputs → step → save → answer → act. Everything that changes the state
 * goes through the air's `take`; nothing is answered, recorded or published that is not in the saved state. What a state has
 * to be followed by is saved with it until it is done: whoever takes over does it first.
 */
export async function goOnAir(
  ports: Ports,
  lease: AirLease,
  saved: Saved | null,
  memory: Pick<AirMemory, 'lastChunkOf'>,
  stopping: AbortSignal,
  metrics: WorkerMetrics,
): Promise<void> {
  const { log, media, clock } = ports
  const sound = createAirSound()
  const logbook = ports.config.aircheckDays > 0 ? createLogbook(ports, { version: solsticeVersion }) : null
  lease.lost.addEventListener('abort', () => logbook?.close(), { once: true })
  const outbox = createOutbox(ports, lease, sound.frameAt, logbook?.file)
  for (const entry of saved?.outbox ?? []) outbox.add(entry)
  const saveLoop = createSaveLoop(lease, outbox, clock)
  const hasSound = await canBeHeard(ports)
  const lastChunk = hasSound ? ((await lease.lastChunk()) ?? memory.lastChunkOf()) : null
  const afterOthers = hasSound
    ? await lastChunksOf(ports.config.otherMounts.map(mountId), lease, memory)
    : new Map()
  const nowMs = clock.nowMs()
  const fact = stationFact(ports, hasSound ? 'sound' : 'clock')
  // Sound to catch up with is planned as of the time at which it was due.
  const atMs = (lastChunk && catchUpFrom(lastChunk, nowMs)) ?? nowMs
  const first = await firstStep(lease, saved, lastChunk, fact, atMs, logbook)
  const air = createAir(saveLoop, first, [lease.lost, stopping], ports, sound.planChanged, logbook)
  await air.save()
  if (!hasSound) air.endCatchUp()
  if (!saved) restoreOrders(ports)

  const secondChance = createSecondChance(media)
  const probe = <T>(find: (key: MediaKey) => Promise<T>) =>
    createProbing(find, secondChance.noteFilesBack, air.leaving)
  const library = createLibraryFeed(ports, air, secondChance, sound.planChanged)
  const readClips = createClipsFeed(ports, air, sound.planChanged)
  await library.readCuePoints()
  lookAhead(air, ports, probe(library.find))
  library.readWanted()
  const microphones = hasSound ? openMicrophones(ports) : null
  if (hasSound) {
    await readClips()
    const source = probe(media.source)
    sound.start(
      broadcastAir(ports, air, lease, {
        source,
        after: lastChunk,
        afterOthers,
        microphones,
        secondChance,
        metrics,
      }),
    )
  } else air.tell({ type: 'hosting', hosting: noHosting })
  keepSchedule(air, ports)
  const tryAgain = () => {
    const due = secondChance.due(air.state, library.lacksFiles)
    if (due.has('clips')) void readClips()
    if (due.has('tracks')) library.tryAgain()
  }
  every(SECOND_CHANCE_INTERVAL_MS, tryAgain, air.leaving)
  watchReplicas(air, sound, ports)
  if (microphones) connectMicrophones(air, microphones, ports)
  catchUp(air, sound, ports)
    .then(() => processCommands(air, lease, sound, { library, readClips }, ports))
    .catch(air.fail)
  log.info({ about: 'lease', mode: air.state.mode, streaming: hasSound }, 'the station is on air')

  if (!air.leaving.aborted) await once(air.leaving, 'abort')
  await sound.stop()
  microphones?.close()
  if (!lease.lost.aborted) await handOver(lease, saveLoop, outbox, logbook, ports)
  logbook?.close()
}

/** The last chunk of each of these mounts that has one. */
async function lastChunksOf(
  mounts: readonly MountId[],
  lease: Pick<AirLease, 'lastChunk'>,
  memory: Pick<AirMemory, 'lastChunkOf'>,
): Promise<Map<MountId, FrameChunk>> {
  const found = new Map<MountId, FrameChunk>()
  for (const mount of mounts) {
    const chunk = (await lease.lastChunk(mount)) ?? memory.lastChunkOf(mount)
    if (chunk) found.set(mount, chunk)
  }
  return found
}

/** Restores paid tracks to a queue that was lost. Whether anything can be paid for, the jobs process knows. */
function restoreOrders({ jobs }: Pick<Ports, 'jobs'>): void {
  // The sweep runs every minute anyway.
  jobs.add('sweep-donations', {}, { id: 'sweep-donations', requeueIfActive: true }).catch(() => {})
}

/** Saves the last state, then again without the effects done by then, so that a successor does not repeat them. */
async function handOver(
  lease: AirLease,
  saveLoop: SaveLoop,
  outbox: Outbox,
  logbook: Logbook | null,
  { log }: Pick<Ports, 'log'>,
): Promise<void> {
  const saveLast = () =>
    saveLoop.saveAgain().catch((error) => log.error({ err: error }, 'last state could not be saved'))
  await saveLast()
  void logbook?.flush()
  await Promise.race([outbox.drained(), sleep(OUTBOX_TIMEOUT_MS, { ref: false })])
  await saveLast()
  await lease.release()
}
