import type { Mode } from '@solstice/contracts'

const DAY_MINUTES = 24 * 60

/** The part of the day that a mode has. Minutes since midnight; `from` may be later than `to`. */
export interface Span {
  mode: Mode
  from: number
  to: number
}

/** The day by its switch hours. One span when the station has no night, or no hours for it. */
export function spansOf(parts: { nightMode: boolean; dayStartHour: number; nightStartHour: number }): Span[] {
  const [day, night] = [parts.dayStartHour * 60, parts.nightStartHour * 60]
  if (!parts.nightMode || day === night) return [{ mode: 'day', from: 0, to: DAY_MINUTES }]
  return [
    { mode: 'day', from: day, to: night },
    { mode: 'night', from: night, to: day },
  ]
}

/** Minutes from one time of day to the next time it is another one; a whole day when they are the same. */
export const minutesUntil = (from: number, to: number): number =>
  (to - from + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES

/** The mode of a time of day, and the minutes until it changes; null when it never does. */
export function modeAt(spans: readonly Span[], minute: number): { mode: Mode; leftMinutes: number | null } {
  if (spans.length === 1) return { mode: spans[0]!.mode, leftMinutes: null }
  const now = spans.find(({ from, to }) => minutesUntil(from, minute) % DAY_MINUTES < minutesUntil(from, to))!
  return { mode: now.mode, leftMinutes: minutesUntil(minute, now.to) }
}

/** Place of a time of day on a circle around 0, 0: noon above, midnight below, as the sun goes. */
export function pointAt(minute: number, radius: number): { x: number; y: number } {
  const angle = (minute / DAY_MINUTES) * 2 * Math.PI + Math.PI / 2
  return { x: Math.cos(angle) * radius, y: Math.sin(angle) * radius }
}

/** The arc of a span as the path of an SVG. A whole day is two halves: an arc that ends where it begins is none. */
export function arcOf({ from, to }: Span, radius: number): string {
  const length = minutesUntil(from, to)
  if (length === DAY_MINUTES)
    return `${arc(from, length / 2, radius)} ${arc(from + length / 2, length / 2, radius)}`
  return arc(from, length, radius)
}

function arc(from: number, length: number, radius: number): string {
  const [start, end] = [pointAt(from, radius), pointAt(from + length, radius)]
  const at = ({ x, y }: { x: number; y: number }) => `${x.toFixed(2)} ${y.toFixed(2)}`
  return `M${at(start)} A${radius} ${radius} 0 ${length > DAY_MINUTES / 2 ? 1 : 0} 1 ${at(end)}`
}
