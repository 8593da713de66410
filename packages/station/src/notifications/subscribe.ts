import { createHash } from 'node:crypto'
import type { AwaitedSong, Locale } from '@solstice/contracts'
import type { PlayoutState } from '@solstice/playout'
import { Failure } from '../core/failure.ts'
import { findOwnDonation } from '../donations/history.ts'
import type { DataStore, NotificationRecord } from '../ports/data/data-store.ts'
import type { Device, PushServices } from '../ports/push.ts'
import { momentOf } from './moment.ts'

const ID_LENGTH = 22
const MAX_PER_DEVICE = 5
/** A household may share an address. */
const MAX_PER_LISTENER = 20
const MAX_ALL = 5_000

type NotificationData = Pick<DataStore, 'notifications' | 'donations'>

/**
 * Stores a listener's wish to be told when a track is next. A repeated one replaces the first.
 *
 * @param air advanced to now; null while no state is known.
 * @returns the id of the wish.
 * @throws Failure PUSH_SERVICE_UNKNOWN; NOT_FOUND when the listener has no such request or order, or its track is over;
 * NOTIFICATIONS_FULL
 */
export async function addNotification(
  deps: { data: NotificationData; pushServices: Pick<PushServices, 'accepts'> },
  air: PlayoutState | null,
  wish: { uid: string; device: Device; song: AwaitedSong; lang: Locale; nowMs: number },
): Promise<string> {
  const { data, pushServices } = deps
  const { uid, device, song, lang, nowMs } = wish
  if (!pushServices.accepts(device)) throw new Failure('PUSH_SERVICE_UNKNOWN')
  const donation = 'order' in song ? await findOwnDonation(data, song.order, uid) : null
  const awaited =
    'order' in song
      ? { uid, trackId: donation!.songId, donationId: song.order }
      : { uid, trackId: song.request, donationId: null }
  // Without a state nothing shows that there is such a request.
  if ((!air && !donation) || momentOf(awaited, air, donation) === 'over') throw new Failure('NOT_FOUND')
  const all = await data.notifications.find()
  // Its id is another one when the device has been subscribed anew since.
  const id = all.find((one) => isSame(one, device.endpoint, awaited))?.id ?? idOf(device, awaited)
  assertRoom(all, { id, uid, endpoint: device.endpoint })
  const { endpoint, p256dh, auth } = device
  await data.notifications.put({ id, endpoint, p256dh, auth, lang, ...awaited, createdAt: Math.floor(nowMs) })
  return id
}

/**
 * Sends what a device awaits to its new subscription. The former endpoint, which only that device and the station know, is what
 * entitles to that.
 *
 * @throws Failure PUSH_SERVICE_UNKNOWN
 */
export async function moveSubscription(
  deps: { data: Pick<DataStore, 'notifications'>; pushServices: Pick<PushServices, 'accepts'> },
  { endpoint, device }: { endpoint: string; device: Device },
): Promise<void> {
  if (!deps.pushServices.accepts(device)) throw new Failure('PUSH_SERVICE_UNKNOWN')
  const { p256dh, auth } = device
  const { notifications } = deps.data
  const all = await notifications.find()
  // What the device has asked for under its new address already.
  const isDouble = (one: Readonly<NotificationRecord>) =>
    all.some((other) => other.id !== one.id && isSame(other, device.endpoint, one))
  if (endpoint !== device.endpoint)
    await notifications.delete((one) => one.endpoint === endpoint && isDouble(one))
  await notifications.update({ endpoint }, { endpoint: device.endpoint, p256dh, auth })
}

/** Takes a wish back; another listener's stays. */
export async function removeNotification(
  data: Pick<DataStore, 'notifications'>,
  wish: { id: string; uid: string },
): Promise<void> {
  await data.notifications.delete({ id: wish.id, uid: wish.uid })
}

/** True for the wish of a device for this request or order. */
const isSame = (
  one: Readonly<NotificationRecord>,
  endpoint: string,
  { trackId, donationId }: Pick<NotificationRecord, 'trackId' | 'donationId'>,
): boolean => one.endpoint === endpoint && one.trackId === trackId && one.donationId === donationId

function idOf(
  { endpoint }: Device,
  { trackId, donationId }: Pick<NotificationRecord, 'trackId' | 'donationId'>,
): string {
  const hash = createHash('sha256').update(JSON.stringify([endpoint, trackId, donationId]))
  return hash.digest('base64url').slice(0, ID_LENGTH)
}

function assertRoom(
  all: readonly Readonly<NotificationRecord>[],
  { id, uid, endpoint }: Pick<NotificationRecord, 'id' | 'uid' | 'endpoint'>,
): void {
  const others = all.filter((one) => one.id !== id)
  const ofDevice = others.filter((one) => one.endpoint === endpoint).length
  const ofListener = others.filter((one) => one.uid === uid).length
  if (others.length >= MAX_ALL || ofDevice >= MAX_PER_DEVICE || ofListener >= MAX_PER_LISTENER)
    throw new Failure('NOTIFICATIONS_FULL')
}
