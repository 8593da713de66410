import { roomOf } from '@solstice/adapters'
import type { ClipChoice } from '@solstice/contracts'
import { nextJingle, type PlayoutState } from '@solstice/playout'
import type { Unsubscribe } from '@solstice/station'
import type { AudibleAir } from '../../air/audible.ts'

/** Those who may put a jingle next, and take it back. */
const audience = roomOf({ privilege: 'queue_manage' })!

/** The jingle that an admin put next, as admins are told of it. */
export function nextJingleOf(state: PlayoutState | null): ClipChoice | null {
  const clip = state && nextJingle(state)
  if (!clip) return null
  const { id, media, durationMs } = clip
  const filename = media.slice(media.lastIndexOf('/') + 1)
  return { id, filename, duration: durationMs === null ? null : durationMs / 1000 }
}

/** Tells the sockets of this replica whenever another jingle, or none, comes next. */
export function followNextJingle(
  air: Pick<AudibleAir, 'onState'>,
  emit: (room: string, next: ClipChoice | null) => void,
): Unsubscribe {
  return air.onState((state, before) => {
    const next = nextJingleOf(state)
    if (next?.id !== nextJingleOf(before)?.id) emit(audience, next)
  })
}
