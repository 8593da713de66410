import type { Delivery } from '@solstice/station'

/** No service has that much to say of one payment. */
export const MAX_DELIVERY_BYTES = 64 * 1024

/** The fields of a posted form; null when it is none, or when one of them is missing or there twice. */
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

/** The JSON object that a text is; null when it is none. */
export function readObject(text: string): Record<string, unknown> | null {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return null
  }
}

export function objectOf(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

/** An identifier, which some services write as a number. */
export function idOf(value: unknown): string | null {
  if (Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value.length > 0 && value.length <= 200 ? value : null
}

/** Three letters, as capitals. */
export function currencyOf(value: unknown): string | null {
  return typeof value === 'string' && /^[a-z]{3}$/i.test(value) ? value.toUpperCase() : null
}

/** An amount as it is written, in whole hundredths: what is beyond them is left out, never rounded up. */
export function amountMinorOf(value: unknown): number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const [, units, fraction = ''] = /^(\d{1,12})(?:[.,](\d{1,20}))?$/.exec(String(value)) ?? []
  return units === undefined ? null : Number(units) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'))
}

/** A time as it is written, in epoch ms; one that names no zone is read as UTC. */
export function timeOf(value: unknown): { atMs: number; isZoned: boolean } | null {
  const [text, day, time, zone] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?$/.exec(String(value)) ?? []
  const atMs = text === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone ?? 'Z'}`)
  return Number.isNaN(atMs) ? null : { atMs, isZoned: zone !== undefined }
}

/** A count of units of time since 1970, in epoch ms, as far as it is not in the future; otherwise now. */
export function pastOf(value: unknown, unitMs: number, nowMs: number): number {
  const atMs = Number.isSafeInteger(value) ? Number(value) * unitMs : nowMs
  return atMs > 0 ? Math.min(atMs, nowMs) : nowMs
}

/** What a donor wrote, as far as a code is looked for in it. */
export function commentOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 2000) : ''
}
