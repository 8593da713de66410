import type { NowPlaying } from '@solstice/contracts'

const POLL_MS = 15_000
/** Some proxies hold events back; a listener who sees nothing for longer leaves. */
const FIRST_EVENT_MS = 4_000

/**
 * Follows what is on air by server-sent events. While these don't arrive it asks every 15 s, and tries them again.
 *
 * @param station origin of the station.
 * @param onChange gets null when the station doesn't answer.
 * @returns ends it.
 */
export function followNowPlaying(station: string, onChange: (now: NowPlaying | null) => void): () => void {
  const over = new AbortController()
  let events: EventSource
  let timer: ReturnType<typeof setTimeout> | undefined

  const open = () => {
    events = new EventSource(`${station}/api/now-playing/events`)
    events.onmessage = ({ data }) => {
      clearTimeout(timer)
      timer = undefined
      onChange(JSON.parse(data))
    }
    events.onerror = () => pollIn(FIRST_EVENT_MS)
  }
  const pollIn = (delayMs: number) => {
    // Browsers try again every few seconds, which must not put it off.
    timer ??= setTimeout(poll, delayMs)
  }
  const poll = async () => {
    const now = await ask(station, over.signal)
    if (over.signal.aborted) return
    onChange(now)
    timer = undefined
    // A refused connection is not tried again by the browser.
    if (events.readyState === EventSource.CLOSED) open()
    pollIn(POLL_MS)
  }
  open()
  pollIn(FIRST_EVENT_MS)
  return () => {
    over.abort()
    clearTimeout(timer)
    events.close()
  }
}

async function ask(station: string, signal: AbortSignal): Promise<NowPlaying | null> {
  try {
    const response = await fetch(`${station}/api/now-playing`, { signal, credentials: 'omit' })
    return response.ok ? await response.json() : null
  } catch {
    return null
  }
}
