/** Has the page kept for when there is no network, once the first sound no longer needs the network's whole width. */
export function keepForOffline(): void {
  if ('serviceWorker' in navigator && import.meta.env.PROD)
    navigator.serviceWorker.register('/sw.js').catch(() => {})
}
