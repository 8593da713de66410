import './sheet.css'
import type { LibraryItem } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useRestoredFocus } from '../../../ui/sheet/restored-focus.ts'
import { Sheet, SheetHead } from '../../../ui/sheet/sheet.tsx'
import { useStore } from '../../../ui/store.ts'
import { trackLine } from '../../format.ts'
import { useRadio } from '../../radio-context.ts'
import { NewsToast } from '../news-toast.tsx'
import { useSheetTexts } from '../texts.ts'
import { isWorthShowing, orderLine } from './order-text.ts'
import { OrderView } from './order-view.tsx'
import { WayChoice } from './way-choice.tsx'

/** A track that may be paid for, or an order that was placed. */
export type DonateSubject = { track: LibraryItem } | { orderId: string }

/** From the choice how to get a track on air to the moment it is heard. */
export function DonateSheet(props: { about: DonateSubject; onLibrary: () => void; onClose: () => void }) {
  const { radio, t } = useRadio()
  const s = useSheetTexts().support
  const [about, setAbout] = useState(props.about)
  const orders = useStore(radio.donations.orders)
  const body = useRef<HTMLDivElement>(null)
  const orderId = 'orderId' in about ? about.orderId : null
  const order = orders.find(({ id }) => id === orderId)
  const track = 'track' in about ? about.track : order?.ticket?.song
  const chooseAgain = (again: LibraryItem | null) => (again ? setAbout({ track: again }) : props.onLibrary())
  useRestoredFocus(body)
  useEffect(() => (orderId ? radio.donations.watch(orderId) : undefined), [orderId, radio])

  return (
    <Sheet class="side donate" label={s.title} onClose={props.onClose}>
      <div class="sheet-body" ref={body}>
        <SheetHead title={s.title} close={t.close} />
        {track && (
          <p class="subject">
            <b>{track.title}</b>
            <span>{track.artist}</span>
          </p>
        )}
        {'track' in about && (
          <WayChoice track={about.track} onPlaced={(placedId) => setAbout({ orderId: placedId })} />
        )}
        {order && <OrderView order={order} onAgain={chooseAgain} />}
        <OtherOrders besides={orderId} onOpen={(otherId) => setAbout({ orderId: otherId })} />
      </div>
      <NewsToast />
    </Sheet>
  )
}

function OtherOrders(props: { besides: string | null; onOpen: (orderId: string) => void }) {
  const { radio, locale, t } = useRadio()
  const s = useSheetTexts().support
  const orders = useStore(radio.donations.orders)
  const heard = useStore(radio.heard)
  const nowMs = radio.connection.stationNowMs()
  const others = orders.filter((order) => order.id !== props.besides && isWorthShowing(order, heard, nowMs))
  if (others.length === 0) return null
  return (
    <section class="others">
      <h3>{s.others}</h3>
      <ul>
        {others.map((order) => (
          <li key={order.id}>
            <button type="button" class="text-button" onClick={() => props.onOpen(order.id)}>
              {order.ticket && `${trackLine(order.ticket.song)}: `}
              {orderLine(order, heard, nowMs, locale, t)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
