import './offer.css'
import { render } from 'preact'

interface OfferProps {
  text: string
  action: string
  dismiss: string
  /** Called once, when it was taken or dismissed. */
  onAnswer: (isTaken: boolean) => void
}

/** Shows a quiet line at the foot of the page with one thing to do, until it is answered; takes no focus. */
export function showOffer({ text, action, dismiss, onAnswer }: OfferProps): void {
  const place = document.createElement('div')
  document.body.append(place)
  const answer = (isTaken: boolean) => {
    render(null, place)
    place.remove()
    onAnswer(isTaken)
  }
  render(
    <aside class="offer" aria-label={text}>
      <p role="status">{text}</p>
      <button type="button" class="button" onClick={() => answer(true)}>
        {action}
      </button>
      <button type="button" class="text-button" onClick={() => answer(false)}>
        {dismiss}
      </button>
    </aside>,
    place,
  )
}
