import type { Ports } from '@solstice/adapters'
import { type PlayoutState, shownQueue } from '@solstice/playout'
import type { Unsubscribe } from '@solstice/station'

/** Has listeners told as soon as another track is next or on air. Several processes may: the same job is added once. */
export async function watchQueue({
  bus,
  data,
  jobs,
  log,
}: Pick<Ports, 'bus' | 'data' | 'jobs' | 'log'>): Promise<Unsubscribe> {
  let seen = ''
  const look = async () => {
    const isAwaited = (await data.notifications.find()).length > 0
    const id = 'sweep-notifications'
    if (isAwaited) await jobs.add(id, {}, { id, requeueIfActive: true })
  }
  return bus.follow((state) => {
    const now = front(state)
    if (now === seen) return
    seen = now
    look().catch((error) => log.warn({ err: error }, 'notifications not swept: they will be within a minute'))
  })
}

/** The entries on air and next. */
function front(state: PlayoutState): string {
  const onAir = state.onAir.phase === 'track' ? state.onAir.entry.entryId : null
  return JSON.stringify([onAir, shownQueue(state, 1)[0]?.entryId])
}
