import type { DonationStatus } from '@solstice/contracts'
import { formatMoney, trackLine } from '../../listener/format.ts'
import { useUrlState } from '../data/location.ts'
import { useAdmin } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import type { ReplyOf } from '../data/routes.ts'
import { Badge } from '../ui/state/badge.tsx'
import { List } from '../ui/state/list.tsx'
import { Pages } from '../ui/state/pages.tsx'
import { type Column, VirtualTable } from '../ui/table/virtual-table.tsx'
import { HISTORY, type Order, useDonationTexts, useMoment } from './donations-context.ts'

type History = ReplyOf<`GET ${typeof HISTORY}`>

const PAGE = 50
const WINDOWS = ['24h', '7d', '30d', 'max'] as const

/** Orders of a period, the newest first, with what was paid in it. */
export function Orders({ onOpen }: { onOpen: (order: Order) => void }) {
  const t = useDonationTexts()
  const [window, setWindow] = useUrlState('window', 'max')
  const [status, setStatus] = useUrlState('status')
  const [from, setFrom] = useUrlState('from', '0')
  const offset = Math.max(0, Number.parseInt(from, 10) || 0)
  const statuses = Object.keys(t.statuses) as DonationStatus[]
  const wanted = statuses.find((known) => known === status)
  const history = useQuery(`GET ${HISTORY}`, {
    query: { window, limit: PAGE, offset, ...(wanted && { status: wanted }) },
  })
  const isFiltered = wanted !== undefined || window !== 'max' || offset > 0
  const clear = () => {
    setStatus('', { replace: true })
    setWindow('max', { replace: true })
    setFrom('0', { replace: true })
  }
  const turn = (to: number) => setFrom(String(to))
  return (
    <>
      <div class="orders-filter">
        <Choice
          label={t.window}
          value={window}
          options={WINDOWS.map((id) => [id, t.windows[id]])}
          onValue={(id) => {
            setFrom('0', { replace: true })
            setWindow(id, { replace: true })
          }}
        />
        <Choice
          label={t.status}
          value={wanted ?? ''}
          options={[['', t.anyStatus], ...statuses.map((id) => [id, t.statuses[id]] as const)]}
          onValue={(id) => {
            setFrom('0', { replace: true })
            setStatus(id, { replace: true })
          }}
        />
      </div>
      {history.is === 'ready' && <Totals totals={history.data.totals} />}
      <List
        state={history}
        isEmpty={({ entries }) => entries.length === 0}
        empty={
          isFiltered ? (
            <>
              <p>{t.ordersNone}</p>
              <button type="button" class="button" onClick={clear}>
                {t.showAll}
              </button>
            </>
          ) : (
            <p>{t.ordersEmpty}</p>
          )
        }
      >
        {(data) => (
          <>
            <OrderTable orders={data.entries} onOpen={onOpen} />
            <Pages {...{ offset, page: PAGE, shown: data.entries.length, total: data.total }} onTurn={turn} />
          </>
        )}
      </List>
    </>
  )
}

function Choice(props: {
  label: string
  value: string
  options: readonly (readonly [string, string])[]
  onValue: (value: string) => void
}) {
  const { label, value, options, onValue } = props
  return (
    <label class="orders-choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {options.map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}

function Totals({ totals }: Pick<History, 'totals'>) {
  const t = useDonationTexts()
  const { locale } = useAdmin()
  if (!totals.length) return <p class="hint orders-totals">{t.noTotals}</p>
  return (
    <ul class="orders-totals" aria-label={t.totals}>
      {totals.map(({ currency, count, amount }) => (
        <li key={currency}>
          <b>{formatMoney(amount, currency, locale)}</b>
          <span>{t.totalOf(count)}</span>
        </li>
      ))}
    </ul>
  )
}

function OrderTable({ orders, onOpen }: { orders: Order[]; onOpen: (order: Order) => void }) {
  const t = useDonationTexts()
  const { locale } = useAdmin()
  const moment = useMoment()
  const money = ({ amount, currency }: Order) => formatMoney(amount, currency, locale)
  const song = ({ songTitle: title, songArtist: artist }: Order) => trackLine({ title, artist })
  const columns: Column<Order>[] = [
    {
      id: 'song',
      head: t.columns.song,
      width: 'minmax(0, 1fr)',
      cell: ({ songTitle, songArtist }) => (
        <>
          <b>{songTitle}</b> <span class="soft">{songArtist}</span>
        </>
      ),
    },
    {
      id: 'amount',
      head: t.columns.amount,
      width: '7rem',
      cell: (order) => (
        <>
          <b>{money(order)}</b>
          {order.tier !== null && <span class="order-tier"> {t.tier(order.tier)}</span>}
        </>
      ),
    },
    {
      id: 'status',
      head: t.columns.status,
      width: '12rem',
      cell: (order) => <OrderStatus order={order} />,
    },
    {
      id: 'created',
      head: t.columns.created,
      width: '8.25rem',
      cell: ({ createdAt }) => moment(createdAt),
    },
  ]
  return (
    <VirtualTable
      label={t.orders}
      rows={orders}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={onOpen}
      phone={(order) => (
        <span class="order-phone">
          <span>
            <b>{song(order)}</b>
            <b>{money(order)}</b>
          </span>
          <span>
            <OrderStatus order={order} />
            <span>{moment(order.createdAt)}</span>
          </span>
        </span>
      )}
    />
  )
}

/** The status of an order; of a paid one also whether its track was heard. */
export function OrderStatus({ order: { status, airedAt } }: { order: Order }) {
  const t = useDonationTexts()
  const moment = useMoment()
  if (status === 'paid')
    return airedAt === null ? (
      <Badge tone="light">{t.inQueue}</Badge>
    ) : (
      <Badge>{t.aired(moment(airedAt))}</Badge>
    )
  return <Badge tone={status === 'paid_unqueued' ? 'warning' : 'plain'}>{t.statuses[status]}</Badge>
}
