import type { LibraryItem } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { airtimeOf, isWebAddress, type Order } from '../../../radio/donations/order.ts'
import { closeSheet } from '../../../ui/sheet/sheet.tsx'
import { useStore } from '../../../ui/store.ts'
import { useNow } from '../../../ui/use-now.ts'
import { formatDuration, formatMoney, messengerOf } from '../../format.ts'
import { useRadio } from '../../radio-context.ts'
import { TellMe } from '../../tell/tell-me.tsx'
import { useSheetTexts } from '../texts.ts'
import { TryAgain, useServiceName } from './offer.tsx'
import { airtimeText } from './order-text.ts'

interface Props {
  order: Order
  /** Chooses the same track again; null = any, where the order's is not known. */
  onAgain: (track: LibraryItem | null) => void
}

/** An order, whatever its status. */
export function OrderView({ order, onAgain }: Props) {
  const s = useSheetTexts().support
  useNow(1000)
  switch (order.status) {
    case null:
      return <UncheckedOrder order={order} />
    case 'pending':
      return order.matchCode === null || order.expiresAt === null ? (
        <CheckoutOrder order={order} />
      ) : (
        <MatchingOrder order={order} code={order.matchCode} expiresAt={order.expiresAt} />
      )
    case 'paid':
      return <PaidOrder order={order} />
    case 'paid_unqueued':
      return (
        <>
          <Status size="m">{s.unqueued}</Status>
          <p>{s.write}</p>
          <Contact order={order} />
        </>
      )
    case 'paid_back':
      return <Status size="m">{s.paidBack}</Status>
    case 'expired':
      return (
        <>
          <Status size="m">{s.expired}</Status>
          <ChooseAgain order={order} onAgain={onAgain} />
          <p class="soft">{s.tooLate}</p>
          <Contact order={order} />
        </>
      )
    case 'failed':
      return (
        <>
          <Status size="m">{s.paymentFailed}</Status>
          <ChooseAgain order={order} onAgain={onAgain} />
        </>
      )
    case 'unknown':
      return <Status size="m">{s.unknown}</Status>
  }
}

/** The station hasn't said yet how it stands with the order. */
function UncheckedOrder({ order }: { order: Order }) {
  const { radio } = useRadio()
  const s = useSheetTexts().support
  return (
    <>
      <Status>{order.isPollingOver ? s.failed : s.asking}</Status>
      {order.isPollingOver && <TryAgain onPress={radio.donations.checkNow} />}
      <Dismiss order={order} />
    </>
  )
}

/** Paid for at a checkout, whose confirmation is awaited. */
function CheckoutOrder({ order }: { order: Order }) {
  const { radio } = useRadio()
  const s = useSheetTexts().support
  const service = useServiceName()
  const { isPollingOver } = order
  const payAt = payPageOf(order)
  return (
    <>
      <Status>{isPollingOver ? s.willTell : s.confirming(service)}</Status>
      <div class="actions">
        <button
          type="button"
          class="button"
          aria-disabled={!isPollingOver}
          onClick={() => isPollingOver && radio.donations.checkNow()}
        >
          {s.check}
        </button>
        {payAt && isPollingOver && (
          <a class="button" href={payAt} rel="noreferrer">
            {s.toPage(service)}
          </a>
        )}
      </div>
      <Dismiss order={order} />
    </>
  )
}

/** Paid for with a code in the message of a donation, within some time. */
function MatchingOrder({ order, code, expiresAt }: { order: Order; code: string; expiresAt: number }) {
  const { radio, locale } = useRadio()
  const s = useSheetTexts().support
  const service = useServiceName()
  const { ticket } = order
  const leftS = Math.max(0, (expiresAt - radio.connection.stationNowMs()) / 1000)
  const payAt = payPageOf(order)
  return (
    <>
      <MatchCode code={code} />
      <dl class="facts">
        {ticket && (
          <div>
            <dt>{s.amount}</dt>
            <dd>{s.atLeast(formatMoney(ticket.amount, ticket.currency, locale))}</dd>
          </div>
        )}
        <div>
          <dt>{s.timeLeft}</dt>
          <dd>
            <span role="timer">{formatDuration(leftS)}</span>
          </dd>
        </div>
      </dl>
      {payAt && leftS > 0 && (
        <a class="button main" href={payAt} target="_blank" rel="noopener noreferrer">
          {s.toPage(service)}
        </a>
      )}
      <Status>{leftS > 0 ? s.waiting : s.late}</Status>
      <Dismiss order={order} />
    </>
  )
}

function PaidOrder({ order }: { order: Order }) {
  const { radio, locale } = useRadio()
  const s = useSheetTexts().support
  const heard = useStore(radio.heard)
  const nowMs = radio.connection.stationNowMs()
  const airtime = airtimeOf(order, heard, nowMs)
  return (
    <>
      <Status size="l">{s.paid}</Status>
      <p role="status">{airtimeText(airtime, nowMs, locale, s)}</p>
      {(airtime.is === 'soon' || airtime.is === 'expected') && <TellMe song={{ order: order.id }} />}
    </>
  )
}

const statusClasses = { s: undefined, m: 'verdict', l: 'figure' }

/** The most important sentence about an order, announced to screen readers. */
function Status({ children, size = 's' }: { children: ComponentChildren; size?: 's' | 'm' | 'l' }) {
  return (
    <p class={statusClasses[size]} role="status">
      {children}
    </p>
  )
}

function MatchCode({ code }: { code: string }) {
  const s = useSheetTexts().support
  const [message, setMessage] = useState('')
  const copy = async () => {
    const isCopied = await navigator.clipboard?.writeText(code).then(
      () => true,
      () => false,
    )
    setMessage(isCopied ? s.codeCopied : s.codeNotCopied)
  }
  return (
    <div class="code">
      <p>{s.pasteCode}</p>
      <p class="code-line">
        <output class="figure">{code}</output>
        <button type="button" class="button" onClick={copy}>
          {s.copyCode}
        </button>
      </p>
      <p class="soft" role="status">
        {message}
      </p>
    </div>
  )
}

/** The station's messenger, and the number to quote there. */
function Contact({ order }: { order: Order }) {
  const { radio, locale } = useRadio()
  const s = useSheetTexts().support
  const heard = useStore(radio.heard)
  const messenger = messengerOf(heard?.state ?? null, locale)
  return (
    <>
      {messenger && (
        <a class="button" href={messenger.href} target="_blank" rel="noopener noreferrer">
          {messenger.label}
        </a>
      )}
      <dl class="facts">
        <div>
          <dt>{s.number}</dt>
          <dd class="number">{order.id}</dd>
        </div>
      </dl>
    </>
  )
}

function ChooseAgain({ order: { ticket }, onAgain }: Props) {
  const { t } = useRadio()
  const s = useSheetTexts().support
  return (
    <button type="button" class="button" onClick={() => onAgain(ticket?.song ?? null)}>
      {ticket ? s.chooseAgain : t.request.choose}
    </button>
  )
}

function Dismiss({ order }: { order: Order }) {
  const { radio } = useRadio()
  const s = useSheetTexts().support
  return (
    <button
      type="button"
      class="text-button"
      onClick={(event) => {
        radio.donations.forget(order.id)
        closeSheet(event)
      }}
    >
      {s.dismiss}
    </button>
  )
}

const payPageOf = ({ ticket }: Order): string | null =>
  ticket && isWebAddress(ticket.payAt) ? ticket.payAt : null
