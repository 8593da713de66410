import type { LibraryItem } from '@solstice/contracts'
import { useStore } from '../../../ui/store.ts'
import { placeOf } from '../../format.ts'
import { useRadio } from '../../radio-context.ts'
import { RequestStatus, useRequestStatus } from '../request/status.tsx'
import { useSheetTexts } from '../texts.ts'
import { ExpectedWait } from './expected-wait.tsx'
import { DonateOffer } from './offer.tsx'

const STATUS_ID = 'way-status'

/** The two ways to hear a track: to ask for it, or to pay for it; each with its price and its wait. */
export function WayChoice(props: { track: LibraryItem; onPlaced: (orderId: string) => void }) {
  const { radio, t } = useRadio()
  const s = useSheetTexts().support
  const state = useStore(radio.heard)?.state ?? null
  const place = placeOf(props.track, state)
  const isAtHand = place === 'now' || state?.playlist[0]?.id === props.track.id
  // The station would refuse both ways.
  if (place && isAtHand) return <p role="status">{t.request.comes[place]}</p>
  return (
    <>
      {place && <p>{t.request.comes[place]}</p>}
      <RequestWay track={props.track} />
      <section class="way" aria-labelledby="way-paid">
        <h3 id="way-paid" tabIndex={-1}>
          {s.way}
        </h3>
        <DonateOffer {...props} />
      </section>
    </>
  )
}

function RequestWay({ track }: { track: LibraryItem }) {
  const { radio, t } = useRadio()
  const { requests } = radio.connection
  const isSending = useStore(requests.isSending)
  const { blocked } = useRequestStatus()
  return (
    <section class="way" aria-labelledby="way-free">
      <h3 id="way-free" tabIndex={-1}>
        {t.request.way}
      </h3>
      <p class="soft">
        {t.request.free} <ExpectedWait way={{ is: 'requested' }} says={t.request.ifAccepted} />
      </p>
      <RequestStatus id={STATUS_ID} />
      <button
        type="button"
        class="button main"
        // Stays focusable while disabled, so that the focus isn't lost when a cooldown begins.
        aria-disabled={blocked !== null || isSending}
        aria-describedby={blocked ? STATUS_ID : undefined}
        onClick={() => blocked || requests.send(track)}
      >
        {t.request.one}
      </button>
    </section>
  )
}
