import type { LibraryItem, Locale } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../api.ts'
import { type Airtime, airtimeOf, isWebAddress, type Offer, type Order } from '../../radio/donations.ts'
import type { Radio } from '../../radio/radio.ts'
import type { Texts } from '../../texts.ts'
import { Icon } from '../../ui/icons.tsx'
import { localizedText } from '../../ui/language.ts'
import { useRestoredFocus } from '../../ui/restored-focus.ts'
import { closeSheet, Sheet } from '../../ui/sheet.tsx'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { formatDuration, formatMoney, formatTime, messengerOf, songLine } from '../format.ts'
import { isShown, lineOfOrder } from './donate-line.tsx'
import { NewsToast } from './request-sheet.tsx'

/** What is looked at: a song that one may support, or an order that was placed. */
export type DonateSubject = { song: LibraryItem } | { orderId: string }

interface Props {
  radio: Radio
  locale: Locale
  t: Texts
}

/** From the price of a song to the moment it is on air. */
export function DonateSheet(props: Props & { about: DonateSubject; onClose: () => void }) {
  const { radio, locale, t } = props
  const [about, setAbout] = useState(props.about)
  const orders = useStore(radio.donations.orders)
  const heard = useStore(radio.heard)
  const body = useRef<HTMLDivElement>(null)
  const orderId = 'orderId' in about ? about.orderId : null
  const order = orders.find(({ id }) => id === orderId)
  const song = 'song' in about ? about.song : order?.ticket?.song
  const nowMs = radio.connection.stationNowMs()
  const others = orders.filter((other) => other !== order && isShown(other, heard, nowMs))
  useRestoredFocus(body)
  useEffect(() => (orderId ? radio.donations.watch(orderId) : undefined), [orderId, radio])

  return (
    <Sheet class="request donate" label={t.support.title} onClose={props.onClose}>
      <div class="sheet-body" ref={body}>
        <div class="sheet-head">
          <h2 tabIndex={-1}>{t.support.title}</h2>
          <button type="button" class="tool" onClick={closeSheet}>
            <Icon name="close" />
            <span class="unseen">{t.close}</span>
          </button>
        </div>
        {song && (
          <p class="wish">
            <b>{song.title}</b>
            <span>{song.artist}</span>
          </p>
        )}
        {'song' in about && (
          <Choice
            radio={radio}
            locale={locale}
            t={t}
            song={about.song}
            onPlaced={(orderId) => setAbout({ orderId })}
          />
        )}
        {order && (
          <OrderView
            radio={radio}
            locale={locale}
            t={t}
            order={order}
            onAgain={(song) => setAbout({ song })}
          />
        )}
        {others.length > 0 && (
          <section class="others">
            <h3>{t.support.others}</h3>
            <ul>
              {others.map((other) => (
                <li key={other.id}>
                  <button type="button" class="text-button" onClick={() => setAbout({ orderId: other.id })}>
                    {other.ticket && `${songLine(other.ticket.song)}: `}
                    {lineOfOrder(other, heard, nowMs, locale, t)}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <NewsToast radio={radio} t={t} />
    </Sheet>
  )
}

type Offered = { is: 'loading' } | { is: 'failed'; says: string } | { is: 'here'; offer: Offer }

function Choice(props: Props & { song: LibraryItem; onPlaced: (orderId: string) => void }) {
  const { radio, locale, t, song } = props
  const [offered, setOffered] = useState<Offered>({ is: 'loading' })
  const [tier, setTier] = useState(1)
  const [refusal, setRefusal] = useState('')
  const [isSending, setSending] = useState(false)
  const service = useService(radio, t)
  const isGone = useRef(false)

  const load = () => {
    setOffered({ is: 'loading' })
    radio.donations.offer(song.id).then(
      (offer) => !isGone.current && setOffered({ is: 'here', offer }),
      (error) => !isGone.current && setOffered({ is: 'failed', says: saidBy(error, locale, t) }),
    )
  }
  useEffect(() => {
    isGone.current = false
    load()
    return () => {
      isGone.current = true
    }
  }, [song.id])

  if (offered.is === 'loading') return <p role="status">{t.support.loading}</p>
  if (offered.is === 'failed')
    return (
      <>
        <p role="alert">{offered.says}</p>
        <Again t={t} onClick={load} />
      </>
    )
  const { currency, tiers, tiersEnabled, flowType, chattingBlocked } = offered.offer
  const chosen = tiers.find((known) => known.tier === tier) ?? tiers[0]
  if (!chosen) return <p role="status">{t.support.unavailable}</p>

  const order = async () => {
    if (isSending) return
    setSending(true)
    setRefusal('')
    try {
      const placed = await radio.donations.order(song, { ...chosen, currency })
      if (placed.flowType === 'matching') openBeside(placed.pageUrl)
      else if (isWebAddress(placed.redirectUrl)) location.assign(placed.redirectUrl)
      if (!isGone.current) props.onPlaced(placed.donationId)
    } catch (error) {
      if (isGone.current) return
      setRefusal(saidBy(error, locale, t))
      setSending(false)
    }
  }

  return (
    <>
      {tiersEnabled ? (
        <fieldset class="tiers">
          <legend>{t.support.tiers}</legend>
          {tiers.map((known) => (
            <label key={known.tier}>
              <input
                type="radio"
                name="tier"
                checked={known.tier === chosen.tier}
                onChange={() => setTier(known.tier)}
              />
              <span class="song-text">
                <b>{t.support.tier(known.tier)}</b>
                <span>{t.support.ahead(known.tier)}</span>
              </span>
              <b class="price">{formatMoney(known.price, currency, locale)}</b>
            </label>
          ))}
        </fieldset>
      ) : (
        <div>
          <p class="figure">{formatMoney(chosen.price, currency, locale)}</p>
          <p>{t.support.single}</p>
        </div>
      )}
      <p class="soft">
        {flowType === 'matching' ? t.support.byMatching(service) : t.support.byCheckout(service)}
      </p>
      {chattingBlocked && (
        <>
          <p role="status">{t.support.blocked}</p>
          <Again t={t} onClick={load} />
        </>
      )}
      {!chattingBlocked && (
        <button type="button" class="button main" aria-disabled={isSending} onClick={order}>
          {isSending ? t.support.sending : t.support.pay(formatMoney(chosen.price, currency, locale))}
        </button>
      )}
      <p role="alert">{refusal}</p>
    </>
  )
}

function OrderView(props: Props & { order: Order; onAgain: (song: LibraryItem) => void }) {
  const { radio, locale, t, order, onAgain } = props
  const { donations, connection } = radio
  const heard = useStore(radio.heard)
  useNow(1000)
  const nowMs = connection.stationNowMs()
  const service = useService(radio, t)
  const { status, ticket, matchCode, expiresAt, isPollingOver: isLeftAlone } = order
  const leftS = expiresAt === null ? 0 : Math.max(0, (expiresAt - nowMs) / 1000)
  const payAt = ticket && isWebAddress(ticket.payAt) ? ticket.payAt : null
  const place = airtimeOf(order, heard, nowMs)

  const again = ticket && (
    <button type="button" class="button" onClick={() => onAgain(ticket.song)}>
      {t.support.chooseAgain}
    </button>
  )
  const contact = <Contact radio={radio} locale={locale} t={t} order={order} />
  const dismiss = (
    <button
      type="button"
      class="text-button"
      onClick={(event) => {
        donations.forget(order.id)
        closeSheet(event)
      }}
    >
      {t.support.dismiss}
    </button>
  )

  switch (status) {
    case null:
      return (
        <>
          <Says>{isLeftAlone ? t.support.failed : t.support.asking}</Says>
          {isLeftAlone && <Again t={t} onClick={donations.checkNow} />}
          {dismiss}
        </>
      )
    case 'pending':
      if (matchCode === null || expiresAt === null)
        return (
          <>
            <Says>{isLeftAlone ? t.support.willTell : t.support.confirming(service)}</Says>
            <div class="actions">
              <button
                type="button"
                class="button"
                aria-disabled={!isLeftAlone}
                onClick={() => isLeftAlone && donations.checkNow()}
              >
                {t.support.check}
              </button>
              {payAt && isLeftAlone && (
                <a class="button" href={payAt} rel="noreferrer">
                  {t.support.toPage(service)}
                </a>
              )}
            </div>
            {dismiss}
          </>
        )
      return (
        <>
          <CodeView code={matchCode} t={t} />
          <dl class="facts">
            {ticket && (
              <div>
                <dt>{t.support.amount}</dt>
                <dd>{t.support.atLeast(formatMoney(ticket.amount, ticket.currency, locale))}</dd>
              </div>
            )}
            <div>
              <dt>{t.support.timeLeft}</dt>
              <dd>
                <span role="timer">{formatDuration(leftS)}</span>
              </dd>
            </div>
          </dl>
          {payAt && leftS > 0 && (
            <a class="button main" href={payAt} target="_blank" rel="noopener noreferrer">
              {t.support.toPage(service)}
            </a>
          )}
          <Says>{leftS > 0 ? t.support.waiting : t.support.late}</Says>
          {dismiss}
        </>
      )
    case 'paid':
      return (
        <>
          <Says isLarge>{t.support.paid}</Says>
          <p role="status">{placeText(place, nowMs, locale, t)}</p>
        </>
      )
    case 'paid_unqueued':
      return (
        <>
          <Says>{t.support.unqueued}</Says>
          <p>{t.support.write}</p>
          {contact}
        </>
      )
    case 'expired':
      return (
        <>
          <Says>{t.support.expired}</Says>
          {again}
          <p class="soft">{t.support.tooLate}</p>
          {contact}
        </>
      )
    case 'failed':
      return (
        <>
          <Says>{t.support.paymentFailed}</Says>
          {again}
        </>
      )
    case 'unknown':
      return <Says>{t.support.unknown}</Says>
  }
}

/** What is to be known first; said once more to those who do not see it. */
function Says({ children, isLarge = false }: { children: ComponentChildren; isLarge?: boolean }) {
  return (
    <p class={isLarge ? 'figure' : undefined} role="status">
      {children}
    </p>
  )
}

function CodeView({ code, t }: { code: string; t: Texts }) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    const isCopied = await navigator.clipboard?.writeText(code).then(
      () => true,
      () => false,
    )
    setSaid(isCopied ? t.support.codeCopied : t.support.codeNotCopied)
  }
  return (
    <div class="code">
      <p>{t.support.pasteCode}</p>
      <p class="code-line">
        <output class="figure">{code}</output>
        <button type="button" class="button" onClick={copy}>
          {t.support.copyCode}
        </button>
      </p>
      <p class="soft" role="status">
        {said}
      </p>
    </div>
  )
}

function Contact({ radio, locale, t, order }: Props & { order: Order }) {
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
          <dt>{t.support.number}</dt>
          <dd class="number">{order.id}</dd>
        </div>
      </dl>
    </>
  )
}

function Again({ t, onClick }: { t: Texts; onClick: () => void }) {
  return (
    <button type="button" class="button" onClick={onClick}>
      {t.request.again}
    </button>
  )
}

function useService(radio: Radio, t: Texts): string {
  return useStore(radio.config)?.donationInfo?.displayName || t.support.service
}

/** Where the song of a paid order is, in a sentence. */
function placeText(place: Airtime, nowMs: number, locale: Locale, t: Texts): string {
  switch (place.is) {
    case 'soon':
      return t.support.soon
    case 'now':
      return t.support.now
    case 'was':
      return t.support.was(formatTime(place.atMs, locale))
    case 'expected': {
      const minutes = Math.round((place.atMs - nowMs) / 60_000)
      const from = new Intl.RelativeTimeFormat(locale)
      const when = minutes < 1 ? t.support.within : from.format(minutes, 'minute')
      return t.support.expected(formatTime(place.atMs, locale), when)
    }
  }
}

/** The station's own words for a refusal, or that it cannot be reached. */
function saidBy(error: unknown, locale: Locale, t: Texts): string {
  return (error instanceof ApiError && localizedText(error.body, locale)) || t.support.failed
}

/** Opens a page in another tab, which is not given this one; where the browser does not allow it, there is a link. */
function openBeside(url: string): void {
  const tab = isWebAddress(url) ? open(url, '_blank') : null
  if (tab) tab.opener = null
}
