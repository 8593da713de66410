import type { AwaitedSong, Locale } from '@solstice/contracts'
import { fetchJson, get, post } from '../../api.ts'
import { storedList } from '../kept/stored-list.ts'

/** A track that the station tells this browser of. */
interface Wish {
  key: string
  /** At the station. */
  id: string
  atMs: number
}

const MAX_WISHES = 20
/** The station forgets them as well. */
const LIFE_MS = 24 * 3_600_000
const READY_WITHIN_MS = 10_000

export const wishes = storedList<Wish>(
  'radio_told',
  (value): value is Wish => {
    const { key, id, atMs } = (value ?? {}) as Record<string, unknown>
    const isWhole = typeof key === 'string' && typeof id === 'string' && typeof atMs === 'number'
    return isWhole && Date.now() - (atMs as number) < LIFE_MS
  },
  MAX_WISHES,
)

/** What the service worker has shown is no longer awaited, and may be asked for again. */
globalThis.navigator?.serviceWorker?.addEventListener('message', ({ data }) => {
  if (data?.told) wishes.update((list) => list.filter(({ id }) => id !== data.told))
})

export const keyOf = (song: AwaitedSong): string => JSON.stringify(song)

/** True where the browser can show what a station tells a page that is closed, and was not told never to. */
export const canTell = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

/**
 * Has the station tell this browser when the track is next. The browser asks its user first.
 *
 * @returns `denied` when the user doesn't allow it.
 * @throws when the station or the browser's push service refuses or can't be reached.
 */
export async function tellOf(song: AwaitedSong, lang: Locale): Promise<'told' | 'denied'> {
  if ((await Notification.requestPermission()) !== 'granted') return 'denied'
  const { publicKey } = await get('/api/notifications/key')
  const { endpoint = '', keys = {} } = (await subscribe(await pushManager(), publicKey)).toJSON()
  const { p256dh = '', auth = '' } = keys
  const { id } = await post('/api/notifications', {
    subscription: { endpoint, keys: { p256dh, auth } },
    song,
    lang,
  })
  await rememberEndpoint(endpoint)
  const key = keyOf(song)
  wishes.update((list) => [{ key, id, atMs: Date.now() }, ...list.filter((wish) => wish.key !== key)])
  return 'told'
}

/** Takes a wish back. */
export function tellNoMore({ key, id }: Pick<Wish, 'key' | 'id'>): void {
  wishes.update((list) => list.filter((wish) => wish.key !== key))
  // A message that comes all the same does no harm.
  fetchJson(`/api/notifications/${id}`, { method: 'DELETE' }).catch(() => {})
}

async function pushManager(): Promise<PushManager> {
  const tooLate = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('There is no service worker')), READY_WITHIN_MS)
  })
  return (await Promise.race([navigator.serviceWorker.ready, tooLate])).pushManager
}

/** For the service worker, which tells the station when the browser replaces the subscription. */
async function rememberEndpoint(endpoint: string): Promise<void> {
  await (await caches.open('solstice-push')).put('/push-endpoint', new Response(endpoint))
}

/** The subscription of this browser; one that was made with another key of the station is replaced. */
async function subscribe(manager: PushManager, publicKey: string): Promise<PushSubscription> {
  const known = await manager.getSubscription()
  if (known && base64Url(known.options.applicationServerKey) === publicKey) return known
  await known?.unsubscribe()
  return manager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
}

function base64Url(key: ArrayBuffer | null): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(key ?? new ArrayBuffer(0))))
  return text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}
