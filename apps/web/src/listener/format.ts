import type { Locale, RadioState } from '@solstice/contracts'
import { isWebAddress } from '../radio/donations/order.ts'
import { isChatting } from '../radio/timeline.ts'
import type { Texts } from '../texts.ts'

/** Seconds as people read them: 3:07. */
export function formatDuration(seconds: number): string {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** The large line: the song, or that the hosts talk. */
export const titleOf = (state: RadioState, t: Texts): string => (isChatting(state) ? t.chatting : state.title)

/** A song in one line. */
export const songLine = ({ title, artist }: { title: string; artist: string }): string =>
  [title, artist].filter(Boolean).join(' — ')

/** One line for titles of windows and for screen readers. */
export function nowPlayingLine(state: RadioState, t: Texts): string {
  return isChatting(state) ? t.chatting : songLine(state)
}

/** What the station calls itself in this mode and language. */
export function stationName(state: RadioState | null, locale: Locale, t: Texts): string {
  const names = state?.uiSettings.byLang[locale]
  return (state?.mode === 'night' ? names?.nightRadioName : names?.dayRadioName) || t.radio
}

/** Where the station can be written to, and what it calls the place; null when it named none. */
export function messengerOf(
  state: RadioState | null,
  locale: Locale,
): { href: string; label: string } | null {
  const href = state?.uiSettings.messenger_url ?? ''
  if (!isWebAddress(href)) return null
  return { href, label: state?.uiSettings.byLang[locale].messengerLabel || new URL(href).hostname }
}

/** An amount as people write it: without hundredths where there are none. */
export function formatMoney(amount: number, currency: string, locale: Locale): string {
  const minimumFractionDigits = Number.isInteger(amount) ? 0 : 2
  const style = { style: 'currency', currencyDisplay: 'narrowSymbol', minimumFractionDigits } as const
  return new Intl.NumberFormat(locale, { ...style, currency, maximumFractionDigits: 2 }).format(amount)
}

/** The hour of a moment (epoch ms): 14:32. */
export const formatTime = (atMs: number, locale: Locale): string =>
  new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(atMs)

/** How a song came into the queue, when a person asked for it. */
export function orderLabel(
  entry: { orderType: RadioState['orderType']; tier?: number | null },
  t: Texts,
): string {
  if (entry.orderType === 'lastinline') return t.requested
  return entry.tier ? t.paidTier(entry.tier) : t.paid
}
