/**
 * Keeps the shell, so that the page opens without a network and says so itself. What the station says and plays is
 * never kept: a radio is now.
 */
const SHELL = 'solstice-shell-1'
/** Asked for as a navigation asks: the station gives pages only to those who want one. */
const page = new Request('/', { headers: { Accept: 'text/html' } })

self.addEventListener('install', (event) => {
  event.waitUntil(keepShell())
  self.skipWaiting()
})

self.addEventListener('activate', (event) => {
  const old = (names) => names.filter((name) => name !== SHELL).map((name) => caches.delete(name))
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names))))
  self.clients.claim()
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (request.mode === 'navigate' && (pathname === '/' || pathname === '/en/' || pathname === '/en'))
    event.respondWith(newest(request, '/'))
  // Their names carry a hash of their content: what was kept under a name is good for ever.
  else if (pathname.startsWith('/assets/')) event.respondWith(kept(request))
})

/** The page and what it names, so that one visit is enough. */
async function keepShell() {
  const [cache, response] = await Promise.all([caches.open(SHELL), fetch(page)])
  const text = await response.clone().text()
  await cache.put('/', response)
  await cache.addAll(text.match(/\/assets\/[^"']+/g) ?? [])
}

async function newest(request, key) {
  const cache = await caches.open(SHELL)
  try {
    const response = await fetch(request)
    if (response.ok) {
      await cache.put(key, response.clone())
      await forgetOldAssets(cache, await response.clone().text())
    }
    return response
  } catch {
    return (await cache.match(key, { ignoreVary: true })) ?? Response.error()
  }
}

async function kept(request) {
  const cache = await caches.open(SHELL)
  const found = await cache.match(request, { ignoreVary: true })
  if (found) return found
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

/** A new page has new assets; those of the page before it would only pile up. */
async function forgetOldAssets(cache, page) {
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/assets/') && !page.includes(pathname)) await cache.delete(request)
  }
}
