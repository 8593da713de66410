/** What this browser remembers of the listener's choices; null when nothing, or when it keeps nothing at all. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps a choice for the next visit, where the browser allows it. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // The choice holds until the page is left.
  }
}
