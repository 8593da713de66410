import './prices.css'
import './donations.css'
import { useRef } from 'preact/hooks'
import { useDrawer, useUrlState } from '../data/location.ts'
import { useQuery } from '../data/query.ts'
import { useOutdatedByTrack } from '../data/track-change.ts'
import { Tabs } from '../ui/fields/tabs.tsx'
import { Guarded } from '../ui/layers/guarded.tsx'
import { usePhone } from '../ui/table/use-phone.ts'
import { HISTORY, type Order, RULE, useDonationTexts } from './donations-context.ts'
import { OrderDrawer, UNKNOWN } from './order-drawer.tsx'
import { Orders } from './orders.tsx'
import { Prices } from './price-form.tsx'
import { Unqueued } from './unqueued.tsx'

/** Paid tracks: orders that wait for a decision, all others, and the prices. */
export function DonationsPart() {
  const t = useDonationTexts()
  const isPhone = usePhone()
  const [view, setView] = useUrlState('view', 'orders')
  const drawer = useDrawer()
  // It may be a paid one.
  useOutdatedByTrack('/api/admin/donations')
  const orderOf = useOpenedOrder(drawer.selected !== null)
  const open = (order: Order) => {
    orderOf.remember(order)
    drawer.open(order.id)
  }
  const orders = (
    <>
      <Orders onOpen={open} />
      <button type="button" class="text-button" onClick={() => drawer.open(UNKNOWN)}>
        {t.unknown}
      </button>
    </>
  )
  const prices = (
    <Guarded rule={RULE}>
      <Prices />
    </Guarded>
  )
  const tabs = [
    { id: 'orders', title: t.orders },
    { id: 'prices', title: t.prices },
  ]
  const chosen = view === 'prices' ? view : 'orders'
  return (
    <div class="donations">
      <h1 class="unseen">{t.title}</h1>
      <Guarded rule={RULE}>
        <Unqueued onOpen={open} />
      </Guarded>
      {isPhone ? (
        <Tabs label={t.title} tabs={tabs} chosen={chosen} onChoose={(id) => setView(id, { replace: true })}>
          <div class="donations-tab">{chosen === 'prices' ? prices : orders}</div>
        </Tabs>
      ) : (
        <div class="donations-columns">
          <section>
            <h2>{t.orders}</h2>
            {orders}
          </section>
          <section>
            <h2>{t.prices}</h2>
            {prices}
          </section>
        </div>
      )}
      {drawer.selected && (
        <OrderDrawer id={drawer.selected} order={orderOf.find(drawer.selected)} onClose={drawer.close} />
      )}
    </div>
  )
}

/** The order in the drawer, as the latest answers have it; after it left them, as it was. */
function useOpenedOrder(isOpen: boolean) {
  const known = useRef<Order | null>(null)
  const latest = useQuery(isOpen ? `GET ${HISTORY}` : null, { query: { limit: 200 } })
  return {
    remember: (order: Order) => {
      known.current = order
    },
    find: (id: string): Order | null => {
      const found = latest.is === 'ready' ? latest.data.entries.find((order) => order.id === id) : undefined
      return found ?? (known.current?.id === id ? known.current : null)
    },
  }
}
