const LOOK_EVERY_MS = 3_600_000

/** Has pages kept for when the station can't be reached, and offers new versions of this client when they are there. */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator && import.meta.env.PROD)) return
  navigator.serviceWorker.register('/sw.js').then(followVersions, () => {})
}

function followVersions(registration: ServiceWorkerRegistration): void {
  offerWaiting(registration)
  registration.addEventListener('updatefound', () => {
    const { installing } = registration
    installing?.addEventListener('statechange', () => offerWaiting(registration))
  })
  // A radio stays open for days.
  setInterval(() => registration.update().catch(() => {}), LOOK_EVERY_MS)
}

function offerWaiting({ waiting }: ServiceWorkerRegistration): void {
  // The first one replaces none.
  if (!waiting || !navigator.serviceWorker.controller) return
  import('../offers/new-version.tsx').then(({ offerVersion }) => offerVersion(waiting)).catch(() => {})
}
