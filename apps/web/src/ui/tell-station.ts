const LIFE_S = 365 * 24 * 3600

/** Leaves a cookie, so that the station sends the next page as it was chosen; '' takes it away. */
export function tellStation(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in all browsers
  document.cookie = `${name}=${value}; path=/; max-age=${value ? LIFE_S : 0}; samesite=lax`
}
