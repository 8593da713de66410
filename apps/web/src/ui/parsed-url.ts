/** An address in its parts; null when it is none. Not all browsers have `URL.canParse`. */
export function parsedUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
