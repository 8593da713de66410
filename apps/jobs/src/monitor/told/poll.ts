import { type NowPlaying, nowPlaying } from '@solstice/contracts'
import { sleep, timeLimit, withFirstOf } from '@solstice/station'
import type { Followed, Told } from '../judge.ts'

/** An address gets 120 answers a minute, of all replicas together. */
const TOLD_EVERY_MS = 2_000
const PLAYLIST_EVERY_MS = 1_000
const TIMEOUT_MS = 3_000
const HEADERS = { 'user-agent': 'Solstice-Monitor' }

export interface Poll<T> {
  now(): Followed<T>
  stop(): void
}

/** The air as an address tells it. */
export function pollTold(address: string, now: () => number): Poll<Told> {
  const poll = pollUrl(`${address}${nowPlaying.getNowPlaying.path}`, TOLD_EVERY_MS, now, (text, askedMs) => {
    const told = JSON.parse(text) as NowPlaying
    const song = told.state === 'song' ? told.current : null
    return {
      trackId: told.current?.id ?? null,
      startedAtMs: song?.startedAt ?? null,
      atMs: told.at,
      cameAtMs: now(),
      tookMs: now() - askedMs,
    }
  })
  return {
    now() {
      const { last, ...rest } = poll.now()
      return { ...rest, last: last && { ...last, ageMs: now() - last.cameAtMs } }
    },
    stop: poll.stop,
  }
}

/**
 * How long before the sound a playlist of HLS ended when it was asked for, ms.
 *
 * @param sentUntil date up to which there is sound; null before any.
 */
export function pollPlaylist(url: string, now: () => number, sentUntil: () => number | null): Poll<number> {
  let dueMs: number | null = null
  const onAsk = () => {
    dueMs = sentUntil()
  }
  const readBehind = (text: string) => {
    const endMs = endOf(text)
    return dueMs === null ? 0 : dueMs - endMs
  }
  return pollUrl(url, PLAYLIST_EVERY_MS, now, readBehind, onAsk)
}

/** @throws when the text is no playlist with dates. */
export function endOf(playlist: string): number {
  let atMs = Number.NaN
  for (const line of playlist.split('\n')) {
    const [, date] = /^#EXT-X-PROGRAM-DATE-TIME:(.+)$/.exec(line) ?? []
    if (date) atMs = Date.parse(date)
    const [, seconds] = /^#EXTINF:([\d.]+)/.exec(line) ?? []
    if (seconds) atMs += Number(seconds) * 1000
  }
  if (!Number.isFinite(atMs)) throw new Error('no playlist with dates')
  return atMs
}

/** @param read gets an answer, and when it was asked for. */
function pollUrl<T>(
  url: string,
  everyMs: number,
  now: () => number,
  read: (text: string, askedMs: number) => T,
  onAsk = () => {},
): Poll<T> {
  const ending = new AbortController()
  const { signal } = ending
  let last: T | null = null
  let goodAtMs = now()
  let failure = ''

  const ask = async () => {
    const askedMs = now()
    onAsk()
    last = await withFirstOf([signal, timeLimit(TIMEOUT_MS)], async (signal) => {
      const answer = await fetch(url, { headers: HEADERS, signal })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`status ${answer.status}`)
      return read(text, askedMs)
    })
    goodAtMs = now()
    failure = ''
  }
  const askOn = async () => {
    while (!signal.aborted) {
      await ask().catch((error: Error) => {
        failure = error.message
      })
      await sleep(everyMs, { signal }).catch(() => {})
    }
  }
  void askOn()
  return {
    now: () => ({ last, failingMs: failure === '' ? 0 : now() - goodAtMs, failure }),
    stop: () => ending.abort(),
  }
}
