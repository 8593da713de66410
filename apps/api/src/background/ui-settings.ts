import { type ReplicaLink, SETTINGS_CHANNEL } from '@solstice/adapters'
import type { UiSettings } from '@solstice/contracts'
import {
  type DataStore,
  type DirectoryEntry,
  readPublicSettings,
  repeatTogether,
  type Unsubscribe,
} from '@solstice/station'
import type { Logger } from 'pino'

/** Finds changes whose notification was lost. */
const READ_EVERY_MS = 30_000

/** The settings that listeners and directories see, as this replica knows them. */
export interface UiSettingsMirror {
  now(): UiSettings
  directory(): DirectoryEntry
  /** Calls after every change of what listeners see. */
  onChange(listener: () => void): Unsubscribe
  close(): void
}

/**
 * Follows the settings until closed: reads them after every save, and every 30 s.
 *
 * @throws when the first read fails; after that, the last settings stay.
 */
export async function mirrorUiSettings(deps: {
  data: Pick<DataStore, 'settings'>
  link: ReplicaLink
  log: Logger
}): Promise<UiSettingsMirror> {
  const { data, log } = deps
  const listeners = new Set<() => void>()
  let current = await readPublicSettings(data)
  let isReading = false
  let isOutdated = false

  // Settings saved during a read are read once more, so that the newest stay.
  const reread = async () => {
    isOutdated = true
    if (isReading) return
    isReading = true
    const before = JSON.stringify(current.ui)
    try {
      while (isOutdated) {
        isOutdated = false
        current = await readPublicSettings(data)
      }
    } catch (error) {
      log.warn({ err: error }, 'settings could not be read; keeping the last ones')
    } finally {
      isReading = false
    }
    if (JSON.stringify(current.ui) !== before) for (const listener of listeners) listener()
  }

  const unsubscribe = deps.link.channel(SETTINGS_CHANNEL).subscribe({ onMessage: reread, onCaughtUp: reread })
  const stop = repeatTogether(READ_EVERY_MS, reread)

  return {
    now: () => current.ui,
    directory: () => current.directory,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      stop()
      unsubscribe()
    },
  }
}
