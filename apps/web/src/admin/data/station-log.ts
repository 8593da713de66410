import type { PublicConfig, ServerPayload } from '@solstice/contracts'
import type { LiveConnection } from '../../live/live-connection.ts'
import { createStore, type Store } from '../../ui/store.ts'

export type Suggestions = ServerPayload<'suggestions_update'>

type Limits = PublicConfig['limits']

/** Changes of the queue that the station allows only so often, and the limit of each. */
export const limitOf = {
  add: 'queueAddCooldownS',
  remove: 'queueRemoveCooldownS',
  skip: 'queueSkipCooldownS',
  group: 'groupInsertCooldownS',
} as const satisfies Record<string, keyof Limits>
export type Cooldown = keyof typeof limitOf

/** The station's answer to a command on the socket. */
export interface SocketAnswer {
  code?: string
  reason?: string
  secsLeft?: number
  /** The entry that was removed. */
  entry?: { entryId: string; title: string; artist: string }
}

const byCode: Record<string, Cooldown> = {
  QUEUE_SONG_ADDED: 'add',
  QUEUE_SUGGESTION_ACCEPTED: 'add',
  QUEUE_ADD_FAILED: 'add',
  QUEUE_SUGGESTION_INJECT_FAILED: 'add',
  QUEUE_SONG_REMOVED: 'remove',
  QUEUE_REMOVE_FAILED: 'remove',
  // Moving shares the cooldown of removing.
  QUEUE_SONG_MOVED: 'remove',
  QUEUE_MOVE_FAILED: 'remove',
  QUEUE_SONG_SKIPPED: 'skip',
  QUEUE_SKIP_FAILED: 'skip',
  QUEUE_GROUP_INSERTED: 'group',
  QUEUE_GROUP_INSERT_FAILED: 'group',
}

/** Everything the station told since this window was opened, for all parts. */
export interface StationLog {
  /** Listeners at moments of the last minute, oldest first. */
  readonly listeners: Store<readonly number[]>
  /** Tracks that listeners ask for. */
  readonly suggestions: Store<Suggestions>
  /** The jingle that an admin put after the track on air. */
  readonly nextJingle: Store<ServerPayload<'next_jingle_update'>>
  /** Station time, epoch ms, at which each cooldown ends. */
  readonly cooldowns: Store<Readonly<Record<Cooldown, number>>>
  /** A change of the queue is refused for so many seconds from now on. */
  startCooldown(name: Cooldown, secsLeft: number): void
  close(): void
}

const SAMPLE_MS = 2_000
const SAMPLES = 30

export function openStationLog(connection: LiveConnection): StationLog {
  const listeners = createStore<readonly number[]>([])
  const suggestions = createStore<Suggestions>([])
  const nextJingle = createStore<StationLog['nextJingle']['value']>(null)
  const cooldowns = createStore<StationLog['cooldowns']['value']>({ add: 0, remove: 0, skip: 0, group: 0 })
  let now = 0
  const sample = () => listeners.set([...listeners.value, now].slice(-SAMPLES))
  const timer = setInterval(sample, SAMPLE_MS)
  const startCooldown = (name: Cooldown, secsLeft: number) =>
    cooldowns.set({ ...cooldowns.value, [name]: connection.stationNowMs() + secsLeft * 1000 })

  connection.on('usersUpdate', (users) => {
    now = users.filter(({ isAdmin, isSuperAdmin }) => !isAdmin && !isSuperAdmin).length
    sample()
  })
  connection.on('suggestions_update', suggestions.set)
  connection.on('next_jingle_update', nextJingle.set)
  connection.air.subscribe((air) => {
    const secsLeft = air?.skipCooldownSecsLeft ?? 0
    const endsAtMs = connection.stationNowMs() + secsLeft * 1000
    if (secsLeft > 0 && Math.abs(endsAtMs - cooldowns.value.skip) > SAMPLE_MS) startCooldown('skip', secsLeft)
  })

  return {
    listeners,
    suggestions,
    nextJingle,
    cooldowns,
    startCooldown,
    close: () => clearInterval(timer),
  }
}

/** The cooldown that an answer tells of, and its seconds left; null when it tells of none. */
export function cooldownIn(
  { code = '', reason, secsLeft }: SocketAnswer,
  isDone: boolean,
  limits: Limits,
): { name: Cooldown; secsLeft: number } | null {
  const name = byCode[code]
  if (!name) return null
  if (isDone) return { name, secsLeft: limits[limitOf[name]] }
  return reason === 'cooldown' && secsLeft ? { name, secsLeft } : null
}
