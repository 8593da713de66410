import { formatMoney, trackLine } from '../../listener/format.ts'
import { failureCode } from '../data/client.ts'
import { useAdmin } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Drawer } from '../ui/layers/drawer.tsx'
import { Guarded } from '../ui/layers/guarded.tsx'
import { List } from '../ui/state/list.tsx'
import { type Order, RULE, serviceName, useDonationTexts, useMoment } from './donations-context.ts'
import { ledgerLine } from './ledger-line.ts'
import { OrderStatus } from './orders.tsx'
import { Decide } from './unqueued.tsx'
import { useDecision } from './use-decision.ts'

/** The ledger keeps payments that name no order under this id. */
export const UNKNOWN = 'unknown'

/** An order from the click to the last frame. @param order null when only its id is known, as from a link. */
export function OrderDrawer(props: { id: string; order: Order | null; onClose: () => void }) {
  const { id, order, onClose } = props
  const t = useDonationTexts()
  const decision = useDecision()
  const isUnknown = id === UNKNOWN
  const song = order && trackLine({ title: order.songTitle, artist: order.songArtist })
  const mayDecide = order?.status === 'paid_unqueued'
  return (
    <Drawer
      title={isUnknown ? t.unknown : (song ?? t.order)}
      onClose={onClose}
      actions={
        mayDecide && (
          <Guarded rule={RULE}>
            <Decide order={order} {...decision} />
          </Guarded>
        )
      }
    >
      {isUnknown && <p class="hint">{t.unknownHint}</p>}
      {order && <Facts order={order} />}
      <section class="order-ledger" aria-labelledby="ledger">
        <h3 id="ledger" class={isUnknown ? 'unseen' : ''}>
          {isUnknown ? t.unknown : t.ledger}
        </h3>
        <Timeline id={id} />
      </section>
    </Drawer>
  )
}

function Facts({ order }: { order: Order }) {
  const t = useDonationTexts()
  const { locale } = useAdmin()
  const { amount, currency, tier, provider, uid, id, refusedWhy } = order
  const why = refusedWhy && (t.reasons[refusedWhy] ?? refusedWhy)
  const facts = [
    [t.facts.why, why],
    [t.facts.service, serviceName(provider)],
    [t.facts.donor, uid],
    [t.facts.number, id],
  ] as const
  return (
    <div class="order-facts">
      <p>
        <b>{formatMoney(amount, currency, locale)}</b>
        {tier !== null && <span>{t.tier(tier)}</span>}
        <OrderStatus order={order} />
      </p>
      <dl>
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </div>
  )
}

function Timeline({ id }: { id: string }) {
  const t = useDonationTexts()
  const moment = useMoment()
  const ledger = useQuery('GET /api/admin/donations/:id/ledger', { params: { id } })
  if (id === UNKNOWN && ledger.is === 'failed' && failureCode(ledger.error) === 'NOT_FOUND')
    return <p>{t.unknownNone}</p>
  return (
    <List state={ledger} rows={4}>
      {({ entries }) => (
        <ol class="timeline">
          {entries.map((entry, i) => {
            const { title, about } = ledgerLine(entry, t)
            return (
              <li key={i} data-event={entry.event}>
                <b>{title}</b>
                <time dateTime={new Date(entry.at).toISOString()}>{moment(entry.at)}</time>
                {about && <span>{about}</span>}
              </li>
            )
          })}
        </ol>
      )}
    </List>
  )
}
