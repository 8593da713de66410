import { formatMoney, trackLine } from '../../listener/format.ts'
import { Confirm } from '../confirm.tsx'
import { useKeys } from '../data/keys.ts'
import { useAdmin, useTexts } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { HISTORY, type Order, useDonationTexts, useMoment } from './donations-context.ts'
import { useDecision } from './use-decision.ts'

const MOST_SHOWN = 20

/** Paid orders whose track won't be heard, the oldest payment first, until an admin decides. Nothing while there are none. */
export function Unqueued({ onOpen }: { onOpen: (order: Order) => void }) {
  const t = useDonationTexts()
  const { may } = useAdmin()
  const waiting = useQuery(`GET ${HISTORY}`, { query: { status: 'paid_unqueued', limit: 200 } })
  const decision = useDecision()
  const orders = waiting.is === 'ready' ? waiting.data.entries.toReversed() : []
  const total = waiting.is === 'ready' ? waiting.data.total : 0
  const first = orders[0]
  useKeys(t.title, [
    {
      key: 'q',
      label: t.keyQueue,
      run: () => first && may({ allOf: ['donations_manage'] }) && decision.requeue(first),
    },
  ])
  if (!orders.length) return null
  return (
    <section class="unqueued" aria-labelledby="unqueued">
      <h2 id="unqueued">
        {t.waiting} <small>{total}</small>
      </h2>
      <p class="hint">{t.waitingHint}</p>
      <ul>
        {orders.slice(0, MOST_SHOWN).map((order) => (
          <li key={order.id}>
            <Waiting order={order} onOpen={onOpen} />
            <Decide order={order} {...decision} />
          </li>
        ))}
      </ul>
      {total > MOST_SHOWN && <p class="hint">{t.moreWaiting(total - MOST_SHOWN)}</p>}
    </section>
  )
}

function Waiting({ order, onOpen }: { order: Order; onOpen: (order: Order) => void }) {
  const t = useDonationTexts()
  const { locale } = useAdmin()
  const moment = useMoment()
  const why = t.reasons[order.refusedWhy ?? ''] ?? order.refusedWhy
  return (
    <>
      <b class="order-amount">{formatMoney(order.amount, order.currency, locale)}</b>
      <button type="button" class="order-song" onClick={() => onOpen(order)}>
        <b>{trackLine({ title: order.songTitle, artist: order.songArtist })}</b>
        <span>{[order.paidAt && moment(order.paidAt), why].filter(Boolean).join(' · ')}</span>
      </button>
    </>
  )
}

/** The two ways out of `paid_unqueued`, and why the last try was refused. */
export function Decide(props: { order: Order } & ReturnType<typeof useDecision>) {
  const { order, requeue, payBack, isBusy, refusalOf } = props
  const t = useDonationTexts()
  const { locale } = useAdmin()
  const { cancel } = useTexts()
  const song = trackLine({ title: order.songTitle, artist: order.songArtist })
  return (
    <>
      <span class="order-decide">
        <button
          type="button"
          class="button primary"
          aria-disabled={isBusy}
          aria-label={t.queueNowSong(song)}
          onClick={() => requeue(order)}
        >
          {t.queueNow}
        </button>
        <Confirm
          label={t.payBack}
          about={song}
          sure={t.payBackSure(formatMoney(order.amount, order.currency, locale))}
          yes={t.payBackYes}
          no={cancel}
          onYes={() => payBack(order)}
        />
      </span>
      <span class="order-refusal" role="alert">
        {refusalOf(order.id)}
      </span>
    </>
  )
}
