import './news-toast.css'
import { useEffect, useState } from 'preact/hooks'
import { localNowMs } from '../../radio/connection/station-clock.ts'
import { useStore } from '../../ui/store.ts'
import { trackLine } from '../format.ts'
import { useRadio } from '../radio-context.ts'

const TOAST_MS = 12_000

/** The outcome of the last request, for as long as it is known. */
export function LastNews() {
  const { radio, t } = useRadio()
  const news = useStore(radio.connection.requests.news)
  return news && <p class="nothing">{t.news[news.is](trackLine(news.track))}</p>
}

/**
 * The newest outcome of a request or of a paid order, for some seconds. Each modal sheet needs a toast of its own, since
 * screen readers don't hear what is behind it.
 */
export function NewsToast() {
  const { radio, t } = useRadio()
  const requested = useStore(radio.connection.requests.news)
  const paid = useStore(radio.donations.news)
  const isPaid = paid !== null && paid.sinceMs > (requested?.sinceMs ?? 0)
  const news = isPaid ? paid : requested
  const [isOver, setOver] = useState(true)
  useEffect(() => {
    const leftMs = news ? news.sinceMs + TOAST_MS - localNowMs() : 0
    setOver(leftMs <= 0)
    if (leftMs <= 0) return
    const timer = setTimeout(() => setOver(true), leftMs)
    return () => clearTimeout(timer)
  }, [news])
  const text = () => {
    if (isOver) return ''
    if (isPaid) return t.support.news[paid.is](paid.track ? trackLine(paid.track) : t.support.news.aTrack)
    return requested && t.news[requested.is](trackLine(requested.track))
  }
  return (
    <p class="toast news" role="status" data-shown={news !== null && !isOver}>
      {text()}
    </p>
  )
}
