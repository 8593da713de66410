import type { Delivery } from '@solstice/station'

/** No service sends anywhere near this much about one payment. */
export const MAX_DELIVERY_BYTES = 64 * 1024

/** Reads fields of a posted form; null when it is not a form, or a field is missing or repeated. */
export function readForm<Name extends string>(
  { rawBody, headers }: Delivery,
  names: readonly Name[],
): Record<Name, string> | null {
  const type = headers['content-type']
  if (typeof type !== 'string' || !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return null
  if (rawBody.byteLength > MAX_DELIVERY_BYTES) return null
  const form = new URLSearchParams(Buffer.from(rawBody).toString('utf8'))
  const fields: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const [value, ...more] = form.getAll(name)
    if (!value || more.length > 0) return null
    fields[name] = value
  }
  return fields as Record<Name, string>
}

/** Reads an identifier, which some services send as a number. */
export function idOf(value: unknown): string | null {
  if (Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value.length > 0 && value.length <= 200 ? value : null
}

/** Reads a currency code as capitals. */
export function currencyOf(value: unknown): string | null {
  return typeof value === 'string' && /^[a-z]{3}$/i.test(value) ? value.toUpperCase() : null
}

/** Reads a decimal amount in hundredths; further digits are cut off, never rounded up. */
export function amountMinorOf(value: unknown): number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const [, units, fraction = ''] = /^(\d{1,12})(?:[.,](\d{1,20}))?$/.exec(String(value)) ?? []
  return units === undefined ? null : Number(units) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'))
}

/** Reads an ISO 8601 time as epoch ms; without a zone it counts as UTC. */
export function timeOf(value: unknown): { atMs: number; isZoned: boolean } | null {
  const [text, day, time, zone] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?$/.exec(String(value)) ?? []
  const atMs = text === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone ?? 'Z'}`)
  return Number.isNaN(atMs) ? null : { atMs, isZoned: zone !== undefined }
}

/** Reads a Unix time in units of `unitMs` as epoch ms; now if it is missing or in the future. */
export function pastOf(value: unknown, unitMs: number, nowMs: number): number {
  const atMs = Number.isSafeInteger(value) ? Number(value) * unitMs : nowMs
  return atMs > 0 ? Math.min(atMs, nowMs) : nowMs
}

/** Reads a donor's message; codes are searched only in its beginning. */
export function commentOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 2000) : ''
}
