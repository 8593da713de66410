import type { ServerPayload } from '@solstice/contracts'
import type { LiveConnection } from '../../live/live-connection.ts'
import { createStore, type Store } from '../../ui/store.ts'

/** Changes of the queue that the station allows only so often. */
export const cooldownNames = ['add', 'remove', 'skip', 'group'] as const
export type Cooldown = (typeof cooldownNames)[number]

export type Suggestions = ServerPayload<'suggestions_update'>

/** What the station told since this window was opened, for all parts. */
export interface StationLog {
  /** Listeners at moments of the last minute, oldest first. */
  readonly listeners: Store<readonly number[]>
  /** Tracks that listeners ask for. */
  readonly suggestions: Store<Suggestions>
  /** Station time, epoch ms, at which each cooldown ends. */
  readonly cooldowns: Store<Record<Cooldown, { endsAtMs: number; lastsMs: number }>>
  /** What the station answered to a command on the socket; `show` says it. */
  hear(answer: { code?: string; reason?: string; secsLeft?: number }, isDone: boolean): void
  close(): void
}

const SAMPLE_MS = 2_000
const SAMPLES = 30
/** The defaults of the station; a refusal tells the seconds that are left. */
const LASTS_MS: Record<Cooldown, number> = { add: 30_000, remove: 30_000, skip: 30_000, group: 600_000 }
const byCode: Record<string, Cooldown> = {
  QUEUE_SONG_ADDED: 'add',
  QUEUE_SUGGESTION_ACCEPTED: 'add',
  QUEUE_ADD_FAILED: 'add',
  QUEUE_SONG_REMOVED: 'remove',
  QUEUE_REMOVE_FAILED: 'remove',
  QUEUE_SONG_SKIPPED: 'skip',
  QUEUE_SKIP_FAILED: 'skip',
  QUEUE_GROUP_INSERTED: 'group',
  QUEUE_GROUP_INSERT_FAILED: 'group',
}

export function openStationLog(connection: LiveConnection): StationLog {
  const listeners = createStore<readonly number[]>([])
  const suggestions = createStore<Suggestions>([])
  const none = { endsAtMs: 0, lastsMs: 1 }
  const cooldowns = createStore<StationLog['cooldowns']['value']>({
    add: none,
    remove: none,
    skip: none,
    group: none,
  })
  let now = 0
  const sample = () => listeners.set([...listeners.value, now].slice(-SAMPLES))
  const timer = setInterval(sample, SAMPLE_MS)
  const start = (name: Cooldown, secsLeft: number) => {
    const endsAtMs = connection.stationNowMs() + secsLeft * 1000
    const lastsMs = Math.max(LASTS_MS[name], secsLeft * 1000)
    cooldowns.set({ ...cooldowns.value, [name]: { endsAtMs, lastsMs } })
  }

  connection.on('usersUpdate', (users) => {
    now = users.filter(({ isAdmin, isSuperAdmin }) => !isAdmin && !isSuperAdmin).length
    sample()
  })
  connection.on('suggestions_update', suggestions.set)
  connection.air.subscribe((air) => {
    const known = cooldowns.value.skip.endsAtMs
    const endsAtMs = connection.stationNowMs() + (air?.skipCooldownSecsLeft ?? 0) * 1000
    if (air?.skipCooldownSecsLeft && Math.abs(endsAtMs - known) > SAMPLE_MS)
      start('skip', air.skipCooldownSecsLeft)
  })

  return {
    listeners,
    suggestions,
    cooldowns,
    hear({ code = '', reason, secsLeft }, isDone) {
      const name = byCode[code]
      if (!name) return
      if (isDone) start(name, LASTS_MS[name] / 1000)
      else if (reason === 'cooldown' && secsLeft) start(name, secsLeft)
    },
    close: () => clearInterval(timer),
  }
}
