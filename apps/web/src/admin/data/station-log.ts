import type { ServerPayload } from '@solstice/contracts'
import type { LiveConnection } from '../../live/live-connection.ts'
import { createStore, type Store } from '../../ui/store.ts'
import type { Cooldown } from './cooldowns.ts'

export type Suggestions = ServerPayload<'suggestions_update'>

/** What the station told since this window was opened, for all parts. */
export interface StationLog {
  /** Listeners at moments of the last minute, oldest first. */
  readonly listeners: Store<readonly number[]>
  /** Tracks that listeners ask for. */
  readonly suggestions: Store<Suggestions>
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
  connection.air.subscribe((air) => {
    const secsLeft = air?.skipCooldownSecsLeft ?? 0
    const endsAtMs = connection.stationNowMs() + secsLeft * 1000
    if (secsLeft > 0 && Math.abs(endsAtMs - cooldowns.value.skip) > SAMPLE_MS) startCooldown('skip', secsLeft)
  })

  return {
    listeners,
    suggestions,
    cooldowns,
    startCooldown,
    close: () => clearInterval(timer),
  }
}
