import type { Config } from '@solstice/adapters'
import {
  type DataStore,
  dateNow,
  type Fault,
  fileLeftSounds,
  keepEvidence,
  type MediaStorage,
  type Spools,
  sleep,
  type WallClock,
} from '@solstice/station'
import type { Logger } from 'pino'
import { encodeMp3 } from './ear/decoder.ts'
import type { RecentSound } from './ear/recent-sound.ts'

/** Before and after the beginning of an alarm. */
const SIDE_MS = 5_000
/** Recordings of alarms that the store has not taken yet, 160 kB each; those of further ones are not kept. */
const MAX_WAITING = 50

export interface EvidenceKeeper {
  /**
   * Records the sound around the beginning of an alarm. Call the returned function with the id of the alarm when the store has it, or
   * with null. Until then the sound waits on disk.
   */
  record(fault: Fault, beganAt: number, sound: RecentSound): (alarmId: number | null) => void
  /** Stores what earlier processes left on disk, with the alarms that the store has by now. */
  fileLeft(): Promise<void>
  /** Resolves when all of it is stored or on disk; what was not heard yet is left out. */
  close(): Promise<void>
}

export function createEvidenceKeeper(deps: {
  config: Pick<Config, 'ffmpegPath'>
  data: Pick<DataStore, 'alarms'>
  media: Pick<MediaStorage, 'put' | 'list' | 'delete'>
  spools: Pick<Spools, 'alarms' | 'alarmSounds'>
  clock: WallClock
  log: Logger
}): EvidenceKeeper {
  const { config, spools, clock, log } = deps
  const { alarmSounds } = spools
  const ending = new AbortController()
  const running = new Set<Promise<void>>()
  const inHand = new Set<string>()
  let left = 0

  /** null when nothing was heard. */
  const encoded = async (pcm: Buffer) => (pcm.length === 0 ? null : encodeMp3(config.ffmpegPath, pcm))
  const recorded = async (sound: RecentSound): Promise<Buffer | null> => {
    await sleep(SIDE_MS, { signal: ending.signal }).catch(() => {})
    return encoded(sound.last(2 * SIDE_MS))
  }
  const run = (work: Promise<void>, about: object) => {
    const one = work
      .catch((err) => log.warn({ err, ...about }, 'evidence of an alarm not stored'))
      .finally(() => running.delete(one))
    running.add(one)
  }
  return {
    record(fault, beganAt, sound) {
      const { cause, source } = fault
      const id = `${cause} ${source} ${beganAt}`
      if (inHand.size + left >= MAX_WAITING) return () => {}
      inHand.add(id)
      let isStored = false
      const keep = (mp3: Buffer) =>
        alarmSounds.keep({ id, cause, source, receivedAt: beganAt, mp3: mp3.toString('base64') })
      const recording = recorded(sound)
      // A process that dies before the whole is recorded leaves what was heard until then.
      const keepingBefore = encoded(sound.last(SIDE_MS)).then((mp3) => (mp3 ? keep(mp3) : undefined))
      const keeping = Promise.all([recording, keepingBefore.catch(() => {})]).then(async ([mp3]) => {
        if (mp3 && !isStored) await keep(mp3)
      })
      run(keepingBefore, fault)
      run(keeping, fault)
      const store = async (alarmId: number | null) => {
        const mp3 = await recording
        await keeping.catch(() => {})
        if (mp3 && alarmId !== null)
          await keepEvidence(deps, alarmId, mp3).catch(async (error) => {
            await keep(mp3)
            throw error
          })
        await alarmSounds.remove(id)
      }
      return (alarmId) => {
        isStored = true
        run(
          store(alarmId).finally(() => inHand.delete(id)),
          { alarmId },
        )
      }
    },
    async fileLeft() {
      left = await fileLeftSounds(deps, (id) => inHand.has(id), dateNow(clock))
    },
    async close() {
      ending.abort()
      while (running.size > 0) await Promise.all(running)
    },
  }
}
