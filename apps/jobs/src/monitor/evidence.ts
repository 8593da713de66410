import type { Config } from '@solstice/adapters'
import { type DataStore, keepEvidence, type MediaStorage, sleep } from '@solstice/station'
import type { Logger } from 'pino'
import { encodeMp3 } from './ear/decoder.ts'
import type { RecentSound } from './ear/recent-sound.ts'

/** Before and after the beginning of an alarm. */
const SIDE_MS = 5_000

export interface EvidenceKeeper {
  /** Stores the sound around this moment for an alarm, some seconds later. */
  keep(alarmId: number, sound: RecentSound): void
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

  const store = async (alarmId: number, sound: RecentSound) => {
    await sleep(SIDE_MS, { signal: ending.signal }).catch(() => {})
    const pcm = sound.last(2 * SIDE_MS)
    if (pcm.length === 0) return
    await keepEvidence(deps, alarmId, await encodeMp3(config.ffmpegPath, pcm))
  }
  return {
    keep(alarmId, sound) {
      const one = store(alarmId, sound)
        .catch((error) => log.warn({ err: error, alarmId }, 'evidence of an alarm not stored'))
        .finally(() => running.delete(one))
      running.add(one)
    },
    async close() {
      ending.abort()
      await Promise.all(running)
    },
  }
}
