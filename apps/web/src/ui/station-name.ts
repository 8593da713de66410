/** The name of the station as this page was sent; null in a page that was built without it. */
export const sentStationName = (): string | null =>
  document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content || null
