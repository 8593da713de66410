import type { Locale } from '@solstice/contracts'
import { type Airtime, airtimeOf, type Order } from '../../../radio/donations/order.ts'
import type { Airing } from '../../../radio/timeline.ts'
import { formatTime } from '../../format.ts'
import type { Texts } from '../../texts/texts.ts'
import type { SheetTexts } from '../texts.ts'

/** True when the order still has something to tell: its track hasn't been heard, or something went wrong. */
export const isWorthShowing = (order: Order, heard: Airing | null, nowMs: number): boolean =>
  order.status !== 'unknown' && !(order.status === 'paid' && airtimeOf(order, heard, nowMs).is === 'was')

/** The state of an order in a few words. */
export function orderLine(
  order: Order,
  heard: Airing | null,
  nowMs: number,
  locale: Locale,
  { support }: Texts,
): string {
  const { status, expiresAt } = order
  if (status === 'pending')
    return expiresAt !== null && nowMs < expiresAt ? support.line.pending : support.line.late
  if (status !== 'paid') return support.line[status ?? 'unknown']
  const airtime = airtimeOf(order, heard, nowMs)
  return airtime.is === 'expected'
    ? support.line.expected(formatTime(airtime.atMs, locale))
    : support.line[airtime.is === 'now' ? 'now' : 'soon']
}

/** When the track of a paid order is heard, in a sentence. */
export function airtimeText(
  airtime: Airtime,
  nowMs: number,
  locale: Locale,
  s: SheetTexts['support'],
): string {
  switch (airtime.is) {
    case 'soon':
      return s.soon
    case 'now':
      return s.now
    case 'was':
      return s.was(formatTime(airtime.atMs, locale))
    case 'expected': {
      const minutes = Math.round((airtime.atMs - nowMs) / 60_000)
      const relative = new Intl.RelativeTimeFormat(locale)
      const when = minutes < 1 ? s.within : relative.format(minutes, 'minute')
      return s.expected(formatTime(airtime.atMs, locale), when)
    }
  }
}
