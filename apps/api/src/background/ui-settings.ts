import { type ReplicaLink, SETTINGS_CHANNEL } from '@solstice/adapters'
import type { UiSettings } from '@solstice/contracts'
import { type DataStore, readUiSettings, type Unsubscribe } from '@solstice/station'
import type { Logger } from 'pino'

/** Settings that were saved without a word, or whose word was lost, are found so often. */
const READ_EVERY_MS = 30_000

/** The part of the settings that listeners are told, as this replica knows it. */
export interface UiSettingsMirror {
  now(): UiSettings
  /** Calls when they have become others. */
  onChange(listener: () => void): Unsubscribe
  close(): void
}

/**
 * Follows the settings until closed: they are read anew when somebody saved them, and every 30 s.
 *
 * @throws when they cannot be read the first time; later the last ones stay.
 */
export async function mirrorUiSettings(deps: {
  data: Pick<DataStore, 'settings'>
  link: ReplicaLink
  log: Logger
}): Promise<UiSettingsMirror> {
  const { data, log } = deps
  const listeners = new Set<() => void>()
  let current = await readUiSettings(data)
  let isReading = false
  let isOutdated = false

  // Saved while they are being read: they are read once more, so that the newest is what stays.
  const readAnew = async () => {
    isOutdated = true
    if (isReading) return
    isReading = true
    const before = JSON.stringify(current)
    try {
      while (isOutdated) {
        isOutdated = false
        current = await readUiSettings(data)
      }
    } catch (error) {
      log.warn({ err: error }, 'the settings cannot be read; the last ones stay')
    } finally {
      isReading = false
    }
    if (JSON.stringify(current) !== before) for (const listener of listeners) listener()
  }

  const unhear = deps.link.channel(SETTINGS_CHANNEL).hear({ onMessage: readAnew, onCaughtUp: readAnew })
  const timer = setInterval(readAnew, READ_EVERY_MS)

  return {
    now: () => current,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      clearInterval(timer)
      unhear()
    },
  }
}
