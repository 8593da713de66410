import type { PlayoutState } from '@solstice/playout'
import type { Bus } from '@solstice/station'

/** Reads the saved state of the air; null if no worker has ever been on air. */
export async function savedAir(bus: Pick<Bus, 'follow'>): Promise<PlayoutState | null> {
  let air: PlayoutState | null = null
  const unsubscribe = await bus.follow((state) => {
    air = state
  })
  unsubscribe()
  return air
}
