import { Icon } from '../../../ui/icons.tsx'
import { useStore } from '../../../ui/store.ts'
import { useNow } from '../../../ui/use-now.ts'
import { formatDuration } from '../../format.ts'
import { useRadio } from '../../radio-context.ts'
import { isWorthShowing, orderLine } from './order-text.ts'
import './line.css'

/** The state of an order, in a line that opens it: of one with bad news if there is any, else of the newest. */
export function DonateLine({ onOpen }: { onOpen: (orderId: string) => void }) {
  const { radio, locale, t } = useRadio()
  const orders = useStore(radio.donations.orders)
  const heard = useStore(radio.heard)
  useNow(orders.length ? 1000 : null)
  const nowMs = radio.connection.stationNowMs()
  const shown = orders.filter((order) => isWorthShowing(order, heard, nowMs))
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
      <span class="order-state">{orderLine(order, heard, nowMs, locale, t)}</span>
      {leftMs > 0 && <span>{formatDuration(leftMs / 1000)}</span>}
      {shown.length > 1 && <span>+{shown.length - 1}</span>}
    </button>
  )
}
