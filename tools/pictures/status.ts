import type { Status } from '@solstice/contracts'
import { HOUR_MS } from '@solstice/station'
import type { Browser } from 'playwright-core'
import { openPage, save, views } from './camera.ts'
import { SITE } from './station.ts'

const DAY_MS = 24 * HOUR_MS
const DAYS = 90
/** Days on which a monitor did not listen yet. */
const UNHEARD = 6
/** By days ago. */
const broken = new Map([
  [11, { share: 0.99944, breaks: 1 }],
  [34, { share: 0.9864, breaks: 2 }],
  [60, { share: 0.99953, breaks: 1 }],
])

/** Three months in which little happened. */
function invented(): Status {
  const at = Date.now()
  const days = Array.from({ length: DAYS }, (_, i) => {
    const daysAgo = DAYS - 1 - i
    const heard = i < UNHEARD ? { share: null, breaks: 0 } : { share: 1, breaks: 0 }
    const date = new Date(at - daysAgo * DAY_MS).toISOString().slice(0, 10)
    return { date, ...(broken.get(daysAgo) ?? heard) }
  })
  const since = at - 11 * DAY_MS
  return {
    isOnAir: true,
    onAirSince: since,
    mounts: [
      { isOnAir: true, path: '/api/stream/public.mp3', format: 'audio/mpeg', bitrate: 192 },
      { isOnAir: true, path: '/api/stream/public-64.aac', format: 'audio/aac', bitrate: 64 },
      { isOnAir: true, path: '/api/stream/public-96.opus', format: 'audio/ogg', bitrate: 96 },
    ],
    incident: { kind: 'break', from: since - 48_000, until: since },
    uptime: { share: 0.99982, days },
    timeZone: 'Europe/Kyiv',
    at,
  }
}

/** The page for those who ask whether it is the station or they; a station of minutes has no past to show. */
export async function takeStatus(browser: Browser): Promise<void> {
  const page = await openPage(browser, views.desktop)
  await page.route('**/api/status', (route) => route.fulfill({ json: invented() }))
  await page.goto(`${SITE}/en/status`)
  // The page came with the station's own past; it asks again when it is looked at.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.locator('.status-days').waitFor()
  await save(await page.screenshot({ fullPage: true }), 'status')
  await page.context().close()
}
