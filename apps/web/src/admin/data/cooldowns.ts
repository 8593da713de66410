import type { PublicConfig } from '@solstice/contracts'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { usePanel } from './panel.ts'

type Limits = PublicConfig['limits']

/** Changes of the queue that the station allows only so often, and the limit of each. */
const limitOf = {
  add: 'queueAddCooldownS',
  remove: 'queueRemoveCooldownS',
  skip: 'queueSkipCooldownS',
  group: 'groupInsertCooldownS',
} as const satisfies Record<string, keyof Limits>
export type Cooldown = keyof typeof limitOf

/** What the station answers to a command on the socket. */
export interface SocketAnswer {
  code?: string
  reason?: string
  secsLeft?: number
}

const byCode: Record<string, Cooldown> = {
  QUEUE_SONG_ADDED: 'add',
  QUEUE_SUGGESTION_ACCEPTED: 'add',
  QUEUE_ADD_FAILED: 'add',
  QUEUE_SUGGESTION_INJECT_FAILED: 'add',
  QUEUE_SONG_REMOVED: 'remove',
  QUEUE_REMOVE_FAILED: 'remove',
  QUEUE_SONG_SKIPPED: 'skip',
  QUEUE_SKIP_FAILED: 'skip',
  QUEUE_GROUP_INSERTED: 'group',
  QUEUE_GROUP_INSERT_FAILED: 'group',
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

/** What is left of a cooldown of the queue: whole seconds, and the part of its length. */
export function useCooldown(name: Cooldown): { secsLeft: number; part: number } {
  const { log, connection, config } = usePanel()
  const endsAtMs = useStore(log.cooldowns)[name]
  const leftMs = Math.max(0, endsAtMs - connection.stationNowMs())
  useNow(leftMs > 0 ? 500 : null)
  const lastsMs = Math.max(config.limits[limitOf[name]] * 1000, leftMs, 1)
  return { secsLeft: Math.ceil(leftMs / 1000), part: leftMs / lastsMs }
}
