import { useState } from 'preact/hooks'
import { trackLine } from '../../listener/format.ts'
import { call, failureText } from '../data/client.ts'
import { useAdmin, usePanel } from '../data/panel.ts'
import { type Order, useDonationTexts } from './donations-context.ts'

const decisions = {
  requeue: 'POST /api/admin/donations/:id/requeue',
  payBack: 'POST /api/admin/donations/:id/paid-back',
} as const

/**
 * An admin's decision on an order that found no place. A refusal stays beside the order until the next try: it says what
 * to do, unlike a message that goes away.
 */
export function useDecision(): {
  requeue: (order: Order) => Promise<void>
  payBack: (order: Order) => Promise<void>
  isBusy: boolean
  refusalOf: (id: string) => string
} {
  const { queries, toasts } = usePanel()
  const { locale } = useAdmin()
  const t = useDonationTexts()
  const [isBusy, setBusy] = useState(false)
  const [refusals, setRefusals] = useState<ReadonlyMap<string, string>>(new Map())
  const decide = async (key: keyof typeof decisions, order: Order, done: string) => {
    if (isBusy) return
    setBusy(true)
    setRefusals((all) => new Map([...all].filter(([id]) => id !== order.id)))
    try {
      await call(decisions[key], { params: { id: order.id } })
      toasts.show({ is: 'done', text: done })
    } catch (error) {
      setRefusals((all) => new Map(all).set(order.id, failureText(error, locale)))
    }
    // After a refusal as well: somebody else may have decided.
    queries.invalidate('/api/admin/donations')
    setBusy(false)
  }
  const song = ({ songTitle: title, songArtist: artist }: Order) => trackLine({ title, artist })
  return {
    requeue: (order) => decide('requeue', order, t.queued(song(order))),
    payBack: (order) => decide('payBack', order, t.paidBack(song(order))),
    isBusy,
    refusalOf: (id) => refusals.get(id) ?? '',
  }
}
