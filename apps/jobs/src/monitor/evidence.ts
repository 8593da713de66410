import type { Config } from '@solstice/adapters'
import { type DataStore, keepEvidence, type MediaStorage, sleep } from '@solstice/station'
import type { Logger } from 'pino'
import { encodeMp3 } from './ear/decoder.ts'
import type { RecentSound } from './ear/recent-sound.ts'

/** Before and after the beginning of an alarm. */
const SIDE_MS = 5_000
/** Recordings of alarms that the store has not taken yet, 160 kB each; those of further ones are not kept. */
const MAX_WAITING = 50

export interface EvidenceKeeper {
  /** Records the sound around this moment. Call the returned function with the id of its alarm when the store has it, or with null. */
  record(sound: RecentSound): (alarmId: number | null) => void
  /** Resolves when all of it is stored; what was not heard yet is left out. */
  close(): Promise<void>
}

export function createEvidenceKeeper(deps: {
  config: Pick<Config, 'ffmpegPath'>
  data: Pick<DataStore, 'alarms'>
  media: Pick<MediaStorage, 'put' | 'list' | 'delete'>
  log: Logger
}): EvidenceKeeper {
  const { config, log } = deps
  const ending = new AbortController()
  const running = new Set<Promise<void>>()

  let waiting = 0

  /** null when nothing was heard. */
  const recorded = async (sound: RecentSound): Promise<Buffer | null> => {
    await sleep(SIDE_MS, { signal: ending.signal }).catch(() => {})
    const pcm = sound.last(2 * SIDE_MS)
    return pcm.length === 0 ? null : encodeMp3(config.ffmpegPath, pcm)
  }
  const store = async (alarmId: number | null, recording: Promise<Buffer | null>) => {
    const mp3 = await recording
    if (mp3 && alarmId !== null) await keepEvidence(deps, alarmId, mp3)
  }
  return {
    record(sound) {
      if (waiting >= MAX_WAITING) return () => {}
      waiting++
      const recording = recorded(sound)
      recording.catch(() => {})
      return (alarmId) => {
        const one = store(alarmId, recording)
          .catch((error) => log.warn({ err: error, alarmId }, 'evidence of an alarm not stored'))
          .finally(() => {
            waiting--
            running.delete(one)
          })
        running.add(one)
      }
    },
    async close() {
      ending.abort()
      await Promise.all(running)
    },
  }
}
