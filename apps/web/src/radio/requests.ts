import type { Ack, LibraryItem, ServerPayload } from '@solstice/contracts'
import type { Socket } from 'socket.io-client'
import { createStore, type Store } from '../ui/store.ts'
import { localNowMs } from './clock.ts'

type Refused = Extract<Ack<'suggest_song'>, { error: string }>['error']

/** What became of a request; `failed` = the station did not answer. */
export interface News {
  is: 'sent' | 'accepted' | 'rejected' | 'expired' | 'failed' | Refused
  song: LibraryItem
  /** Local clock. */
  sinceMs: number
}

/** A time in which no other request is taken. */
export interface Wait {
  /** Local clock. */
  untilMs: number
  /** How long it was when it was first told. */
  ofS: number
}

/** The listener's requests for songs. */
export interface Requests {
  /** Whether somebody is there who may answer; null before the station said so. */
  readonly isAnswered: Store<boolean | null>
  readonly wait: Store<Wait | null>
  /** The last that became known. */
  readonly news: Store<News | null>
  /** A request is on its way to the station. */
  readonly isAsking: Store<boolean>
  /** Asks for a song; what comes of it is news. Does nothing while another one is on its way. */
  ask(song: LibraryItem): Promise<void>
}

const ANSWER_WITHIN_MS = 10_000

/** Why a request would be refused just now, in the station's order; null when it would not. */
export type Hindrance = 'unknown' | 'cooldown' | 'no_admin'
export function hindranceOf(isAnswered: boolean | null, secsLeft: number): Hindrance | null {
  if (isAnswered === null) return 'unknown'
  if (secsLeft > 0) return 'cooldown'
  return isAnswered ? null : 'no_admin'
}

/** Whole seconds until a wait is over, as the station counts them. */
export const secsLeftOf = (wait: Wait | null, nowMs: number): number =>
  wait ? Math.max(0, Math.ceil((wait.untilMs - nowMs) / 1000)) : 0

/** The wait after the station said how long it is; one that goes on keeps its length. */
export function waitOf(before: Wait | null, secsLeft: number, nowMs: number): Wait | null {
  if (secsLeft <= 0) return null
  const isSame = secsLeftOf(before, nowMs) + 2 >= secsLeft
  return { untilMs: nowMs + secsLeft * 1000, ofS: isSame && before ? before.ofS : secsLeft }
}

/** @param introduce makes the station know who this is: it may have forgotten. */
export function createRequests(socket: Socket, introduce: () => Promise<unknown>): Requests {
  const isAnswered = createStore<boolean | null>(null)
  const wait = createStore<Wait | null>(null)
  const news = createStore<News | null>(null)
  const isAsking = createStore(false)

  const tell = (is: News['is'], song: LibraryItem) => news.set({ is, song, sinceMs: localNowMs() })
  const waitFor = (secsLeft: number) => wait.set(waitOf(wait.value, secsLeft, localNowMs()))

  socket.on('admin_online', (isOnline: boolean) => isAnswered.set(isOnline))
  socket.on('disconnect', () => isAnswered.set(null))
  socket.on('listener_uid', (granted: ServerPayload<'listener_uid'>) => waitFor(granted.cooldownSecsLeft))
  socket.on('suggest_cooldown_update', waitFor)
  socket.on('suggestion_result', ({ accepted, auto, song }: ServerPayload<'suggestion_result'>) =>
    tell(accepted ? 'accepted' : auto ? 'expired' : 'rejected', song),
  )

  async function send(song: LibraryItem): Promise<News['is']> {
    const ack: Ack<'suggest_song'> = await socket
      .timeout(ANSWER_WITHIN_MS)
      .emitWithAck('suggest_song', { id: song.id, title: song.title, artist: song.artist })
    if ('ok' in ack) return 'sent'
    if (ack.error === 'cooldown') waitFor(ack.secsLeft)
    if (ack.error === 'no_admin') isAnswered.set(false)
    return ack.error
  }

  return {
    isAnswered,
    wait,
    news,
    isAsking,
    async ask(song) {
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
