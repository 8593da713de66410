import type { RadioState } from '@solstice/contracts'
import type { LinkState } from '../radio/connection/station-socket.ts'
import type { Sound } from '../radio/players/player.ts'
import type { Texts } from './texts/texts.ts'

export type Trouble = keyof Texts['states']

/** The most basic trouble that keeps the listener from hearing the radio now; null when there is none. */
export function troubleOf(link: LinkState, state: RadioState | null, sound: Sound): Trouble | null {
  if (link === 'offline') return 'offline'
  // A page that knows what plays needs no connection to show it.
  if (!state) return 'connecting'
  if (sound.is === 'blocked') return 'blocked'
  if (state.isPreparing) return 'preparing'
  if (sound.is === 'retrying') return sound.because
  return null
}
