import type { Locale } from '@solstice/contracts'
import { airtimeOf, type Order } from '../../radio/donations.ts'
import type { Radio } from '../../radio/radio.ts'
import type { Airing } from '../../radio/timeline.ts'
import type { Texts } from '../../texts.ts'
import { Icon } from '../../ui/icons.tsx'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { formatDuration, formatTime } from '../format.ts'

interface Props {
  radio: Radio
  locale: Locale
  t: Texts
  onOpen: (orderId: string) => void
}

/** How it stands with an order, in a line that opens it: with one of which there is bad news, or else with the newest. */
export function DonateLine({ radio, locale, t, onOpen }: Props) {
  const orders = useStore(radio.donations.orders)
  const heard = useStore(radio.heard)
  useNow(orders.length ? 1000 : null)
  const nowMs = radio.connection.stationNowMs()
  const shown = orders.filter((order) => isShown(order, heard, nowMs))
  const order = shown.find(({ status }) => status && !['pending', 'paid'].includes(status)) ?? shown[0]
  if (!order) return null
  const leftMs = order.status === 'pending' && order.expiresAt !== null ? order.expiresAt - nowMs : 0
  return (
    <button
      type="button"
      class="text-button order-line"
      aria-haspopup="dialog"
      onClick={() => onOpen(order.id)}
    >
      <Icon name="support" size={18} />
      <span class="order-state">{lineOfOrder(order, heard, nowMs, locale, t)}</span>
      {leftMs > 0 && <span>{formatDuration(leftMs / 1000)}</span>}
      {shown.length > 1 && <span>+{shown.length - 1}</span>}
    </button>
  )
}

/** Whether there is still something to say of it. */
export const isShown = (order: Order, heard: Airing | null, nowMs: number): boolean =>
  order.status !== 'unknown' && !(order.status === 'paid' && airtimeOf(order, heard, nowMs).is === 'was')

/** How it stands with an order, in a few words. */
export function lineOfOrder(
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
  const place = airtimeOf(order, heard, nowMs)
  return place.is === 'expected'
    ? support.line.expected(formatTime(place.atMs, locale))
    : support.line[place.is === 'now' ? 'now' : 'soon']
}
