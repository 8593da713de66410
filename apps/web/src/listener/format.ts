import type { Locale, RadioState } from '@solstice/contracts'
import { isWebAddress } from '../radio/donations/order.ts'
import { isChatting } from '../radio/timeline.ts'
import type { Texts } from './texts/texts.ts'

/** Seconds as minutes and seconds: 3:07. */
export function formatDuration(seconds: number): string {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** The headline: the title of the track, or that the hosts chat. */
export const titleOf = (state: RadioState, t: Texts): string => (isChatting(state) ? t.chatting : state.title)

/** Title and artist in one line. */
export const trackLine = ({ title, artist }: { title: string; artist: string }): string =>
  [title, artist].filter(Boolean).join(' — ')

/** The track or chat on air in one line, for the window's title and for screen readers. */
export function nowPlayingLine(state: RadioState, t: Texts): string {
  return isChatting(state) ? t.chatting : trackLine(state)
}

/** The name of a station that has told none yet. */
export const STATION_NAME = 'Solstice'

/** The station's name in this mode and language. */
export function stationName(state: RadioState | null, locale: Locale): string {
  const names = state?.uiSettings.byLang[locale]
  return (state?.mode === 'night' ? names?.nightRadioName : names?.dayRadioName) || STATION_NAME
}

/** The station's messenger and its label; null when it has none. */
export function messengerOf(
  state: RadioState | null,
  locale: Locale,
): { href: string; label: string } | null {
  const href = state?.uiSettings.messenger_url ?? ''
  if (!isWebAddress(href)) return null
  return { href, label: state?.uiSettings.byLang[locale].messengerLabel || new URL(href).hostname }
}

/** A price, without hundredths when they are zero. */
export function formatMoney(amount: number, currency: string, locale: Locale): string {
  const minimumFractionDigits = Number.isInteger(amount) ? 0 : 2
  const style = { style: 'currency', currencyDisplay: 'narrowSymbol', minimumFractionDigits } as const
  return new Intl.NumberFormat(locale, { ...style, currency, maximumFractionDigits: 2 }).format(amount)
}

/** The time of day of a moment (epoch ms): 14:32. */
export const formatTime = (atMs: number, locale: Locale): string =>
  new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(atMs)

/** How a track came into the queue: requested, or paid for. */
export function orderLabel(
  entry: { orderType: RadioState['orderType']; tier?: number | null },
  t: Texts,
): string {
  if (entry.orderType === 'lastinline') return t.requested
  return entry.tier ? t.paidTier(entry.tier) : t.paid
}

/** Where a track is by now: on air, or among the next ones; null when it is neither. */
export function placeOf({ id }: { id: string }, state: RadioState | null): 'now' | 'next' | null {
  if (state?.track === id) return 'now'
  return state?.playlist.some((entry) => entry.id === id) ? 'next' : null
}
