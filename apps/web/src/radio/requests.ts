import type { Ack, LibraryItem } from '@solstice/contracts'
import { createStore, type Store } from '../ui/store.ts'
import { localNowMs } from './connection/station-clock.ts'
import type { StationSocket } from './connection/station-socket.ts'

type RequestError = Extract<Ack<'suggest_song'>, { error: string }>['error']

/** The outcome of a request; `failed` = the station didn't answer. */
export interface RequestNews {
  is: 'sent' | 'accepted' | 'rejected' | 'expired' | 'failed' | RequestError
  track: LibraryItem
  /** Local clock. */
  sinceMs: number
}

/** The time in which the station takes no other request from this listener. */
export interface Cooldown {
  /** Local clock. */
  untilMs: number
  /** Its whole length, so that its progress can be shown. */
  totalS: number
}

/** The listener's requests for tracks. */
export interface TrackRequests {
  /** True when an admin is there to answer; null before the station said so. */
  readonly isAdminOnline: Store<boolean | null>
  readonly cooldown: Store<Cooldown | null>
  /** The latest. */
  readonly news: Store<RequestNews | null>
  readonly isSending: Store<boolean>
  /** Requests a track; the outcome is news. Does nothing while another request is on its way. */
  send(track: LibraryItem): Promise<void>
}

const ANSWER_TIMEOUT_MS = 10_000
/** Each announcement is rounded up, and the clock goes on between two. */
const COOLDOWN_TOLERANCE_S = 2

/** Why a request would be refused now, in the order in which the station checks; null when it wouldn't. */
export type BlockedReason = 'unknown' | 'cooldown' | 'no_admin'
export function blockedReason(isAdminOnline: boolean | null, secsLeft: number): BlockedReason | null {
  if (isAdminOnline === null) return 'unknown'
  if (secsLeft > 0) return 'cooldown'
  return isAdminOnline ? null : 'no_admin'
}

/** Whole seconds left, rounded up as the station does. */
export const cooldownSecsLeft = (cooldown: Cooldown | null, nowMs: number): number =>
  cooldown ? Math.max(0, Math.ceil((cooldown.untilMs - nowMs) / 1000)) : 0

/** The cooldown after the station announced `secsLeft`; one that was already running keeps its total length. */
export function updatedCooldown(before: Cooldown | null, secsLeft: number, nowMs: number): Cooldown | null {
  if (secsLeft <= 0) return null
  const isSame = cooldownSecsLeft(before, nowMs) + COOLDOWN_TOLERANCE_S >= secsLeft
  return { untilMs: nowMs + secsLeft * 1000, totalS: isSame && before ? before.totalS : secsLeft }
}

/** @param introduce identifies this listener to the station again, which may have forgotten. */
export function createRequests(socket: StationSocket, introduce: () => Promise<unknown>): TrackRequests {
  const isAdminOnline = createStore<boolean | null>(null)
  const cooldown = createStore<Cooldown | null>(null)
  const news = createStore<RequestNews | null>(null)
  const isSending = createStore(false)

  const report = (is: RequestNews['is'], track: LibraryItem) => news.set({ is, track, sinceMs: localNowMs() })
  const startCooldown = (secsLeft: number) =>
    cooldown.set(updatedCooldown(cooldown.value, secsLeft, localNowMs()))

  socket.on('admin_online', isAdminOnline.set)
  socket.link.subscribe((link) => {
    if (link !== 'online') isAdminOnline.set(null)
  })
  socket.on('listener_uid', ({ cooldownSecsLeft }) => startCooldown(cooldownSecsLeft))
  socket.on('suggest_cooldown_update', startCooldown)
  socket.on('suggestion_result', ({ accepted, auto, song: track }) =>
    report(accepted ? 'accepted' : auto ? 'expired' : 'rejected', track),
  )

  async function sendOnce({ id, title, artist }: LibraryItem): Promise<RequestNews['is']> {
    const request = { id, title, artist }
    const answer = await socket.request('suggest_song', request, ANSWER_TIMEOUT_MS)
    if ('ok' in answer) return 'sent'
    if (answer.error === 'cooldown') startCooldown(answer.secsLeft)
    if (answer.error === 'no_admin') isAdminOnline.set(false)
    return answer.error
  }

  return {
    isAdminOnline,
    cooldown,
    news,
    isSending,
    async send(track) {
      if (isSending.value) return
      isSending.set(true)
      try {
        let outcome = await sendOnce(track)
        if (outcome === 'no_uid') {
          await introduce()
          outcome = await sendOnce(track)
        }
        report(outcome, track)
      } catch {
        report('failed', track)
      } finally {
        isSending.set(false)
      }
    },
  }
}
