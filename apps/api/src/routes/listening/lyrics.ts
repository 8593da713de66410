import { listening } from '@solstice/contracts'
import {
  type Audit,
  type DataStore,
  editLyrics,
  Failure,
  type Lyrics,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../../http/implement.ts'
import type { RequestLimits } from '../../limits/request-limits.ts'
import { sendWrapped } from './wrapped.ts'

export interface ListenerLyricsDeps {
  data: DataStore
  clock: WallClock
  audit: Audit
  lyrics: Lyrics
  limits: Pick<RequestLimits, 'lyrics' | 'otherLyrics'>
}

/** Lyrics as listeners see them, and the offset that admins set while they listen. */
export function listenerLyricsRoutes(app: FastifyInstance, deps: ListenerLyricsDeps): void {
  const { lyrics, limits } = deps

  implement(app, listening.getLyrics, async ({ query, caller, reply }) => {
    for (const field of ['title', 'artist'] as const) {
      if (!query[field].trim()) throw new Failure('BAD_REQUEST', { field })
    }
    const entry = await lyrics.read(query, async (isOurs) => {
      await limits.lyrics(caller.uid, reply)
      if (!isOurs) await limits.otherLyrics('everybody', reply)
    })
    return sendWrapped(reply, Buffer.from(JSON.stringify(entry)), caller)
  })

  implement(app, listening.setLyricsOffset, async ({ body: { offset, ...track }, caller }) => ({
    ok: true as const,
    offset: (await editLyrics(deps, caller, track, { offset })).offset,
  }))
}
