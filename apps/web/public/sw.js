/**
 * Keeps a copy of the page, so that it opens without a network and says so itself. What the station says and plays is
 * never kept, so this copy knows nothing of it: a radio is now.
 */
const SHELL = 'solstice-shell-2'
/** Asked for as a navigation asks: the station gives pages only to those who want one. */
const page = new Request('/offline', { headers: { Accept: 'text/html' } })

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
  if (request.mode === 'navigate' && (pathname === '/' || pathname === '/en/' || pathname === '/en')) {
    const response = fetch(request)
    // Before the browser reads it.
    const copy = response.then((whole) => whole.clone())
    event.respondWith(response.catch(keptShell))
    event.waitUntil(copy.then(keepUpWith, () => {}))
  }
  // Their names carry a hash of their content: what was kept under a name is good for ever.
  else if (pathname.startsWith('/assets/')) event.respondWith(kept(request))
})

const assetsOf = (text) => text.match(/\/assets\/[^"')]+/g) ?? []

/** The page and what it names, so that one visit is enough. @returns the paths of what it names */
async function keepShell() {
  const [cache, response] = await Promise.all([caches.open(SHELL), fetch(page)])
  if (!response.ok) throw new Error(`The station answered ${response.status}`)
  const assets = assetsOf(await response.clone().text())
  await cache.put(page, response)
  await cache.addAll(assets)
  return assets
}

async function keptShell() {
  const cache = await caches.open(SHELL)
  return (await cache.match(page, { ignoreVary: true })) ?? Response.error()
}

async function kept(request) {
  const cache = await caches.open(SHELL)
  const found = await cache.match(request, { ignoreVary: true })
  if (found) return found
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

/** A page with other assets is of a newer build: its shell is kept instead, and the assets before it would only pile up. */
async function keepUpWith(response) {
  if (!response.ok) return
  const assets = assetsOf(await response.text())
  const cache = await caches.open(SHELL)
  const shell = await cache.match(page, { ignoreVary: true })
  const ofShell = new Set(assetsOf(shell ? await shell.text() : ''))
  if (assets.every((path) => ofShell.has(path))) return
  const newest = await keepShell()
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/assets/') && !newest.includes(pathname)) await cache.delete(request)
  }
}
