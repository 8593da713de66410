import type { Ack, LibraryItem, ServerPayload } from '@solstice/contracts'
import type { Socket } from 'socket.io-client'
import { createStore, type Store } from '../ui/store.ts'
import { localNowMs } from './station-clock.ts'

type Refused = Extract<Ack<'suggest_song'>, { error: string }>['error']

/** What became of a request; `failed` = the station did not answer. */
export interface RequestNews {
  is: 'sent' | 'accepted' | 'rejected' | 'expired' | 'failed' | Refused
  song: LibraryItem
  /** Local clock. */
  sinceMs: number
}

/** A time in which no other request is taken. */
export interface Cooldown {
  /** Local clock. */
  untilMs: number
  /** How long it was when it was first told. */
  ofS: number
}

/** The listener's requests for songs. */
export interface SongRequests {
  /** Whether somebody is there who may answer; null before the station said so. */
  readonly isAdminOnline: Store<boolean | null>
  readonly cooldown: Store<Cooldown | null>
  /** The last that became known. */
  readonly news: Store<RequestNews | null>
  /** A request is on its way to the station. */
  readonly isSending: Store<boolean>
  /** Asks for a song; what comes of it is news. Does nothing while another one is on its way. */
  send(song: LibraryItem): Promise<void>
}

const ANSWER_WITHIN_MS = 10_000

/** Why a request would be refused just now, in the station's order; null when it would not. */
export type BlockedReason = 'unknown' | 'cooldown' | 'no_admin'
export function blockedReason(isAnswered: boolean | null, secsLeft: number): BlockedReason | null {
  if (isAnswered === null) return 'unknown'
  if (secsLeft > 0) return 'cooldown'
  return isAnswered ? null : 'no_admin'
}

/** Whole seconds until a wait is over, as the station counts them. */
export const cooldownSecsLeft = (wait: Cooldown | null, nowMs: number): number =>
  wait ? Math.max(0, Math.ceil((wait.untilMs - nowMs) / 1000)) : 0

/** The wait after the station said how long it is; one that goes on keeps its length. */
export function updatedCooldown(before: Cooldown | null, secsLeft: number, nowMs: number): Cooldown | null {
  if (secsLeft <= 0) return null
  const isSame = cooldownSecsLeft(before, nowMs) + 2 >= secsLeft
  return { untilMs: nowMs + secsLeft * 1000, ofS: isSame && before ? before.ofS : secsLeft }
}

/** @param introduce makes the station know who this is: it may have forgotten. */
export function createRequests(socket: Socket, introduce: () => Promise<unknown>): SongRequests {
  const isAnswered = createStore<boolean | null>(null)
  const wait = createStore<Cooldown | null>(null)
  const news = createStore<RequestNews | null>(null)
  const isAsking = createStore(false)

  const tell = (is: RequestNews['is'], song: LibraryItem) => news.set({ is, song, sinceMs: localNowMs() })
  const waitFor = (secsLeft: number) => wait.set(updatedCooldown(wait.value, secsLeft, localNowMs()))

  socket.on('admin_online', (isOnline: boolean) => isAnswered.set(isOnline))
  socket.on('disconnect', () => isAnswered.set(null))
  socket.on('listener_uid', (granted: ServerPayload<'listener_uid'>) => waitFor(granted.cooldownSecsLeft))
  socket.on('suggest_cooldown_update', waitFor)
  socket.on('suggestion_result', ({ accepted, auto, song }: ServerPayload<'suggestion_result'>) =>
    tell(accepted ? 'accepted' : auto ? 'expired' : 'rejected', song),
  )

  async function send(song: LibraryItem): Promise<RequestNews['is']> {
    const ack: Ack<'suggest_song'> = await socket
      .timeout(ANSWER_WITHIN_MS)
      .emitWithAck('suggest_song', { id: song.id, title: song.title, artist: song.artist })
    if ('ok' in ack) return 'sent'
    if (ack.error === 'cooldown') waitFor(ack.secsLeft)
    if (ack.error === 'no_admin') isAnswered.set(false)
    return ack.error
  }

  return {
    isAdminOnline: isAnswered,
    cooldown: wait,
    news,
    isSending: isAsking,
    async send(song) {
      if (isAsking.value) return
      isAsking.set(true)
      try {
        let answer = await send(song)
        if (answer === 'no_uid') {
          await introduce()
          answer = await send(song)
        }
        tell(answer, song)
      } catch {
        tell('failed', song)
      } finally {
        isAsking.set(false)
      }
    },
  }
}
