import { type Static, Type } from 'typebox'
import { Localized } from '../../localized.ts'
import { Mode, OrderType, TrackId } from '../library/track.ts'
import { nullable, StationTimeMs } from '../schema.ts'

const Song = {
  id: TrackId,
  title: Type.String(),
  artist: Type.String(),
  album: Type.String(),
  year: nullable(Type.Number()),
  orderType: OrderType,
  cover: nullable(Type.String({ description: 'URL of the cover; null when the song has none' })),
}

/** An endless stream, without its address. */
export const stream = {
  format: Type.Union([Type.Literal('audio/mpeg'), Type.Literal('audio/aac'), Type.Literal('audio/ogg')]),
  bitrate: Type.Integer({ description: 'kbit/s' }),
}

/** The air as strangers may know it, for other sites and programs. */
export const NowPlaying = Type.Object({
  station: Type.Object({
    name: Localized,
    url: Type.String({ description: 'its page' }),
  }),
  mode: Mode,
  state: Type.Union(
    [Type.Literal('song'), Type.Literal('jingle'), Type.Literal('chat'), Type.Literal('preparing')],
    {
      description:
        '`song`: `current` is heard. `jingle`: a jingle is, and the clock of `current` stands still. `chat`: hosts talk, without a song. `preparing`: nothing is on air',
    },
  ),
  current: nullable(
    Type.Object({
      ...Song,
      duration: nullable(Type.Number({ description: 'seconds' })),
      position: Type.Number({ description: 'seconds into the song at `at`' }),
      startedAt: Type.Integer({ description: 'epoch ms' }),
    }),
  ),
  next: nullable(Type.Object(Song)),
  listeners: Type.Integer({
    description: 'of the stream, or in sync mode the number of open pages; over all replicas',
  }),
  live: Type.Object(
    { hosts: Type.Integer(), guests: Type.Integer() },
    { description: 'the number of people on microphone' },
  ),
  streams: Type.Array(Type.Object({ url: Type.String(), ...stream }), {
    description: 'endless streams for players, the usual one first; empty in sync mode',
  }),
  hls: nullable(
    Type.String({ description: 'URL of the same in HLS, with all mounts in MP3 and AAC; null in sync mode' }),
  ),
  at: StationTimeMs,
})
export type NowPlaying = Static<typeof NowPlaying>
