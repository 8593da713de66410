import type { Access } from '@solstice/contracts'
import { Failure, type StationClock } from '@solstice/station'
import type { FastifyRequest } from 'fastify'
import type { Pass, Tokens } from './tokens.ts'

/** A listener whose art token is good. */
export interface Listener extends Pass {
  artToken: string
}

/** A listener who may also fetch audio files. */
export interface AudioListener extends Listener {
  audioToken: string
}

/** What the access rule of a route found out about the caller. */
export interface Caller {
  public: undefined
  art: Listener
  'art+audio': AudioListener
}

/** Lets a request pass and says who it is from. @throws Failure when it may not pass. */
export type Guard<A extends Access> = (request: FastifyRequest, graceMs: number) => Caller[A]

export type Guards = { [A in Access]: Guard<A> }

/** One guard per access rule. Tokens are looked for in the header first, then in the query. */
export function createGuards(tokens: Tokens, clock: StationClock): Guards {
  const listenerOf = (artToken: string | undefined, graceMs: number): Listener => {
    const pass = artToken ? tokens.readArtToken(artToken, clock.nowMs(), graceMs) : null
    if (!artToken || !pass) throw new Failure('ART_TOKEN_INVALID')
    return { ...pass, artToken }
  }

  return {
    public: () => undefined,
    art: (request, graceMs) => listenerOf(header(request, 'x-art-token') ?? query(request, 'token'), graceMs),
    'art+audio': (request, graceMs) => {
      const artToken = header(request, 'x-art-token') ?? query(request, 'artToken')
      const audioToken = header(request, 'x-audio-token') ?? query(request, 'audioToken')
      const listener = listenerOf(artToken, graceMs)
      const pass = audioToken ? tokens.readAudioToken(audioToken, clock.nowMs(), graceMs) : null
      if (!audioToken || pass?.uid !== listener.uid) throw new Failure('AUDIO_TOKEN_INVALID')
      return { ...listener, audioToken }
    },
  }
}

function header(request: FastifyRequest, name: string): string | undefined {
  return request.headers[name]?.toString() || undefined
}

function query(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name]
  return typeof value === 'string' && value ? value : undefined
}
