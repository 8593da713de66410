/** Parses a JSON object; null when the text is anything else. */
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
