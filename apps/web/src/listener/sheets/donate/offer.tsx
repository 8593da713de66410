import '../../tracks.css'
import type { LibraryItem, Locale } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../../api.ts'
import type { Offer } from '../../../radio/donations/donations.ts'
import { isWebAddress } from '../../../radio/donations/order.ts'
import { localizedText } from '../../../ui/language/localized-text.ts'
import { useStore } from '../../../ui/store.ts'
import { formatMoney } from '../../format.ts'
import { useRadio } from '../../radio-context.ts'
import { type SheetTexts, useSheetTexts } from '../texts.ts'
import { ExpectedWait } from './expected-wait.tsx'

type OfferState =
  | { is: 'loading' }
  | { is: 'failed'; text: string; isFinal: boolean }
  | { is: 'loaded'; offer: Offer }

/** The price of a track, in tiers or one, and the button that orders it. */
export function DonateOffer(props: { track: LibraryItem; onPlaced: (orderId: string) => void }) {
  const { track, onPlaced } = props
  const s = useSheetTexts().support
  const [state, load] = useOffer(track.id)
  const [tier, setTier] = useState(1)
  switch (state.is) {
    case 'loading':
      return <p role="status">{s.loading}</p>
    case 'failed':
      return (
        <>
          <p role="alert">{state.text}</p>
          {!state.isFinal && <TryAgain onPress={load} />}
        </>
      )
    case 'loaded':
      return (
        <LoadedOffer {...{ track, tier, onPlaced }} offer={state.offer} onTier={setTier} onReload={load} />
      )
  }
}

function useOffer(trackId: string): [OfferState, load: () => void] {
  const { radio, locale } = useRadio()
  const s = useSheetTexts().support
  const [state, setState] = useState<OfferState>({ is: 'loading' })
  const isGone = useIsGone([trackId])
  const failed = (error: unknown): OfferState => ({
    is: 'failed',
    text: errorText(error, locale, s),
    isFinal: error instanceof ApiError && error.status === 409,
  })
  const load = () => {
    setState({ is: 'loading' })
    radio.donations.offer(trackId).then(
      (offer) => !isGone.current && setState({ is: 'loaded', offer }),
      (error) => !isGone.current && setState(failed(error)),
    )
  }
  useEffect(load, [trackId])
  return [state, load]
}

interface LoadedOfferProps {
  offer: Offer
  track: LibraryItem
  tier: number
  onTier: (tier: number) => void
  onPlaced: (orderId: string) => void
  onReload: () => void
}

function LoadedOffer({ offer, track, tier, onTier, onPlaced, onReload }: LoadedOfferProps) {
  const { radio, locale } = useRadio()
  const s = useSheetTexts().support
  const [refusal, setRefusal] = useState('')
  const [isSending, setSending] = useState(false)
  const service = useServiceName()
  const isGone = useIsGone([])
  const { currency, tiers, tiersEnabled, flowType, chattingBlocked } = offer
  const chosen = tiers.find((known) => known.tier === tier) ?? tiers[0]
  if (!chosen) return <p role="status">{s.unavailable}</p>

  const order = async () => {
    if (isSending) return
    setSending(true)
    setRefusal('')
    try {
      const placed = await radio.donations.order(track, { ...chosen, currency })
      if (placed.flowType === 'matching') openInTab(placed.pageUrl)
      else if (isWebAddress(placed.redirectUrl)) location.assign(placed.redirectUrl)
      if (!isGone.current) onPlaced(placed.donationId)
    } catch (error) {
      if (isGone.current) return
      setRefusal(errorText(error, locale, s))
      setSending(false)
    }
  }

  const price = formatMoney(chosen.price, currency, locale)
  return (
    <>
      {tiersEnabled && tiers.length > 1 ? (
        <Tiers offer={offer} chosen={chosen.tier} onChoose={onTier} />
      ) : (
        <p class="single">
          <b class="figure">{price}</b>
          <span>
            {s.single}
            <ExpectedWait way={{ is: 'paid', tier: chosen.tier }} says={s.inAbout} />
          </span>
        </p>
      )}
      <p class="soft">{flowType === 'matching' ? s.byMatching(service) : s.byCheckout(service)}</p>
      {chattingBlocked ? (
        <>
          <p role="status">{s.blocked}</p>
          <TryAgain onPress={onReload} />
        </>
      ) : (
        <button type="button" class="button" aria-disabled={isSending} onClick={order}>
          {isSending ? s.sending : s.pay(price)}
        </button>
      )}
      <p role="alert">{refusal}</p>
    </>
  )
}

function Tiers(props: { offer: Offer; chosen: number; onChoose: (tier: number) => void }) {
  const { locale } = useRadio()
  const s = useSheetTexts().support
  const { tiers, currency } = props.offer
  return (
    <fieldset class="tiers">
      <legend>{s.tiers}</legend>
      {tiers.map(({ tier, price }) => (
        <label key={tier}>
          <input
            type="radio"
            name="tier"
            checked={tier === props.chosen}
            onChange={() => props.onChoose(tier)}
          />
          <span class="track-text">
            <b>{s.tier(tier)}</b>
            <span>
              {s.ahead(tier)}
              <ExpectedWait way={{ is: 'paid', tier }} says={s.inAbout} />
            </span>
          </span>
          <b class="price">{formatMoney(price, currency, locale)}</b>
        </label>
      ))}
    </fieldset>
  )
}

export function TryAgain({ onPress }: { onPress: () => void }) {
  const { t } = useRadio()
  return (
    <button type="button" class="button" onClick={onPress}>
      {t.request.again}
    </button>
  )
}

/** The name of the payment service, or a word for it. */
export function useServiceName(): string {
  const { radio } = useRadio()
  const s = useSheetTexts().support
  return useStore(radio.config)?.donationInfo?.displayName || s.service
}

/** True once the component was removed, or was given other inputs. */
function useIsGone(inputs: readonly unknown[]): { current: boolean } {
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, inputs)
  return isGone
}

/** The station's own text, or that it can't be reached. */
function errorText(error: unknown, locale: Locale, s: SheetTexts['support']): string {
  return (error instanceof ApiError && localizedText(error.body, locale)) || s.failed
}

/** Opens a page in another tab, without access to this one. Where the browser forbids it, the order shows a link. */
function openInTab(url: string): void {
  const tab = isWebAddress(url) ? open(url, '_blank') : null
  if (tab) tab.opener = null
}
