import { advance, type PlayoutState } from '@solstice/playout'
import type { StationClock } from '../ports/bus.ts'
import type { DataStore, NotificationRecord } from '../ports/data/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import type { Log } from '../ports/log.ts'
import type { PushServices } from '../ports/push.ts'
import { messageFor } from './message.ts'
import { type Moment, momentOf } from './moment.ts'

/** A wish ends after this, whatever becomes of its track. */
const MAX_AGE_MS = 24 * 3_600_000
/** A message that comes later than this tells of a track that was played. */
const LIFE_S = 600

type Notification = Readonly<NotificationRecord>

interface Deps {
  data: Pick<DataStore, 'notifications' | 'donations'>
  /** Reads the saved state of the air; null if no worker has ever been on air. */
  readAir: () => Promise<PlayoutState | null>
  clock: StationClock
}

/**
 * Adds a job for each listener whose track is next or on air, and deletes the wishes whose track is over.
 *
 * @returns their numbers.
 */
export async function sweepNotifications(
  deps: Deps & { jobs: Pick<JobQueue, 'add'> },
): Promise<{ due: number; over: number }> {
  const { data, jobs, clock } = deps
  // Before the air is read, so that it knows the request of each.
  const all = await data.notifications.find()
  const counts = { due: 0, over: 0 }
  if (all.length === 0) return counts
  const air = await airNow(deps)
  for (const one of all) {
    const moment = await momentNow(data, one, air)
    if (moment === 'next' || moment === 'on-air') {
      counts.due++
      await jobs.add('send-notification', { id: one.id }, { id: `send-notification ${one.id}` })
    } else if (moment === 'over' || one.createdAt + MAX_AGE_MS < clock.nowMs()) {
      counts.over += await data.notifications.delete({ id: one.id })
    }
  }
  return counts
}

/**
 * Tells one listener that the track is next, and deletes the wish. Run again after a crash, it may send the message twice; the
 * device shows it once.
 *
 * @throws Error when the push service may take it later.
 */
export async function sendNotification(
  deps: Deps & {
    data: Pick<DataStore, 'tracks' | 'covers' | 'trackCovers'>
    pushServices: Pick<PushServices, 'send'>
    log: Log
  },
  id: string,
): Promise<void> {
  const { data, pushServices, log } = deps
  const wish = await data.notifications.get(id)
  if (!wish) return
  const moment = await momentNow(data, wish, await airNow(deps))
  // The queue has changed; the sweep goes on.
  if (moment === 'waiting') return
  if (moment !== 'over') {
    const text = JSON.stringify(await messageFor(data, wish, moment))
    const outcome = await pushServices.send(wish, { text, topic: id, lifeS: LIFE_S })
    if (outcome === 'gone') await data.notifications.delete({ endpoint: wish.endpoint })
    if (outcome === 'refused') log.warn({ host: new URL(wish.endpoint).host }, 'push message refused')
  }
  await data.notifications.delete({ id })
}

async function airNow({ readAir, clock }: Deps): Promise<PlayoutState | null> {
  const air = await readAir()
  return air && advance(air, clock.nowMs()).state
}

async function momentNow(
  data: Pick<DataStore, 'donations'>,
  wish: Notification,
  air: PlayoutState | null,
): Promise<Moment> {
  return momentOf(wish, air, wish.donationId === null ? null : await data.donations.get(wish.donationId))
}
