import { ARRIVAL_ID, type Arrival } from '@solstice/contracts'

/** The station as it was when this page was sent; null in a page that was kept or built without it. */
export function readArrival(): Arrival | null {
  const json = document.getElementById(ARRIVAL_ID)?.textContent
  return json ? (JSON.parse(json) as Arrival) : null
}

/** True when the browser took this page out of its history, where it may have been for long. */
export function isFromHistory(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return navigation?.type === 'back_forward'
}
