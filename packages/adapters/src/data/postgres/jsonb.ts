import { deepFreeze } from '../record.ts'

/**
 * JSON text for a jsonb column. jsonb takes neither NUL nor unpaired surrogates, so their codes are written after U+001A,
 * which is escaped in the same way.
 */
export function toJsonb(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:u(0000|001a|d[89a-f]..)|.)/g, (written, code) =>
    code ? `\\u001a${code}` : written,
  )
}

/** A frozen record from the text of a jsonb column. */
export function fromJsonb<T extends object>(text: string): T {
  const json = text.includes('\\u001a')
    ? text.replace(/\\(?:u001a(....)|.)/g, (written, code) => (code ? `\\u${code}` : written))
    : text
  return deepFreeze(JSON.parse(json) as T)
}
