/**
 * Keeps two pages for when the station can't be reached: the player, and one for all other routes. What the station says and
 * plays is never kept, so neither knows anything of it: a radio is now. Shows what the station pushes.
 */
const BUILD = '__BUILD__'
const CACHE = `solstice-${BUILD}`
/** Where the page keeps the address of its push subscription, since browsers don't always say which one they have replaced. */
const PUSH = 'solstice-push'
const PUSH_ENDPOINT = '/push-endpoint'
const PLAYER = '/offline'
const AWAY = '/away'
const KEPT = [PLAYER, AWAY, `/en${AWAY}`]
/** Answers of a proxy whose station is away. */
const GATEWAY_ERRORS = [502, 503, 504]
const PLAYER_PATH = /^\/(?:en\/?)?(?:index\.html|song\/.+|history(?:\/.+)?)?$/
const TOOLS_PATH = /^\/(?:en\/)?(?:adlogin|adpanel|guest|embed)(?:\/|$)/

/** Asked for as a navigation asks: the station gives pages only to those who want one. */
const pageAt = (path) => new Request(path, { headers: { Accept: 'text/html' } })

self.addEventListener('install', (event) => {
  event.waitUntil(keepPages())
})

self.addEventListener('activate', (event) => {
  const old = (names) =>
    names.filter((name) => ![CACHE, PUSH].includes(name)).map((name) => caches.delete(name))
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names))))
  self.clients.claim()
})

/** A newer version waits until the listener wants it, or the last page is closed. */
self.addEventListener('message', ({ data }) => {
  if (data === 'activate') self.skipWaiting()
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin) return
  if (request.mode === 'navigate' && !url.pathname.startsWith('/api/')) event.respondWith(live(request, url))
  // Their names carry a hash of their content: what was kept under a name is good for ever.
  else if (url.pathname.startsWith('/assets/')) event.respondWith(kept(request))
})

self.addEventListener('push', (event) => {
  event.waitUntil(show(event.data))
})

/** The browser has replaced its subscription, or taken it away. */
self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(subscribeAnew(event.oldSubscription, event.newSubscription))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.url ?? '/'))
})

async function keepPages() {
  const cache = await caches.open(CACHE)
  const assets = new Set()
  for (const path of KEPT) {
    const response = await fetch(pageAt(path))
    if (!response.ok) throw new Error(`The station answered ${response.status}`)
    for (const asset of (await response.clone().text()).match(/\/assets\/[^"')]+/g) ?? []) assets.add(asset)
    await cache.put(pageAt(path), response)
  }
  await cache.addAll([...assets])
}

/** The page as it is now; the kept one when the station can't be reached. */
async function live(request, url) {
  try {
    const response = await fetch(request)
    return GATEWAY_ERRORS.includes(response.status) ? ((await keptPage(url)) ?? response) : response
  } catch {
    return (await keptPage(url)) ?? Response.error()
  }
}

async function keptPage({ pathname, searchParams }) {
  const isEnglish = /^\/en(?:\/|$)/.test(pathname) || searchParams.get('lang') === 'en'
  const path = PLAYER_PATH.test(pathname) ? PLAYER : `${isEnglish ? '/en' : ''}${AWAY}`
  const cache = await caches.open(CACHE)
  return cache.match(pageAt(path), { ignoreVary: true })
}

async function kept(request) {
  const cache = await caches.open(CACHE)
  const found = await cache.match(request, { ignoreVary: true })
  if (found) return found
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

/** Browsers want something shown for each push. */
async function show(data) {
  const { title = 'Solstice', body = '', icon = '/icon-192.png', tag, url = '/' } = readMessage(data)
  await self.registration.showNotification(title, { body, icon, badge: '/icon-192.png', tag, data: { url } })
  // The station has told it, and forgets the wish.
  for (const page of await self.clients.matchAll({ includeUncontrolled: true }))
    page.postMessage({ told: tag })
}

function readMessage(data) {
  try {
    return data.json()
  } catch {
    return {}
  }
}

/** Subscribes where the browser hasn't done so itself, and tells the station where to send now what it was to send before. */
async function subscribeAnew(former, latter) {
  const endpoint = former?.endpoint ?? (await (await (await caches.open(PUSH)).match(PUSH_ENDPOINT))?.text())
  if (!endpoint) return
  const subscription = latter ?? (await subscribe())
  const body = JSON.stringify({ endpoint, subscription: neededOf(subscription.toJSON()) })
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch('/api/notifications/moved', { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`The station answered ${response.status}`)
  await (await caches.open(PUSH)).put(PUSH_ENDPOINT, new Response(subscription.endpoint))
}

async function subscribe() {
  const { publicKey } = await (await fetch('/api/notifications/key')).json()
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  return self.registration.pushManager.subscribe(options)
}

const neededOf = ({ endpoint, keys: { p256dh, auth } }) => ({ endpoint, keys: { p256dh, auth } })

/** Goes to a player that is open, so that its sound goes on; else opens one. */
async function open(path) {
  const { href, origin } = new URL(path, self.location.origin)
  if (origin !== self.location.origin) return
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const player = windows.find(
    ({ url, frameType }) => frameType === 'top-level' && !TOOLS_PATH.test(new URL(url).pathname),
  )
  await (player ? player.focus() : self.clients.openWindow(href))
}
