/** The outcome of sharing: `shared` also when the listener changed their mind. */
export type Shared = 'shared' | 'copied' | 'failed'

/** Shares an address through the system's own sheet, and copies it where there is none. Call it from a press. */
export async function share(title: string, url: string): Promise<Shared> {
  if (navigator.share) {
    try {
      await navigator.share({ title, url })
      return 'shared'
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return 'shared'
    }
  }
  try {
    await navigator.clipboard.writeText(url)
    return 'copied'
  } catch {
    return 'failed'
  }
}
