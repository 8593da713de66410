import type { Ports } from '@solstice/adapters'
import type { PlayoutState } from '@solstice/playout'
import type { Unsubscribe } from '@solstice/station'

/**
 * Has events recorded as soon as the worker announces another mode, or that a live show begins or ends. Several processes may: the same
 * job is added once.
 */
export async function watchAir({
  bus,
  jobs,
  log,
}: Pick<Ports, 'bus' | 'jobs' | 'log'>): Promise<Unsubscribe> {
  let seen: string | null = null
  return bus.follow((state) => {
    const now = toldOf(state)
    const isNews = seen !== null && now !== seen
    seen = now
    if (isNews) lookForEvents({ jobs, log })
  })
}

/** Has what just happened recorded and told now instead of within seconds. */
export function lookForEvents({ jobs, log }: Pick<Ports, 'jobs' | 'log'>): void {
  const id = 'sweep-events'
  jobs.add(id, {}, { id, requeueIfActive: true }).catch((error) => {
    log.warn({ err: error }, 'events not looked for: they will be within seconds')
  })
}

/** With the last turn: a show may have come and gone between two announcements. */
const toldOf = ({ mode, live, turns }: PlayoutState) =>
  JSON.stringify([mode, live.participants.length > 0, turns?.at(-1)?.atMs])
