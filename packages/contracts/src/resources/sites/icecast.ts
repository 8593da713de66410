import { type Static, Type } from 'typebox'

const Source = Type.Object({
  audio_info: Type.String({ description: 'channels, sample rate and bit rate with semicolons' }),
  bitrate: Type.Integer({ description: 'kbit/s' }),
  channels: Type.Integer(),
  genre: Type.String(),
  listener_peak: Type.Integer({ description: 'most listeners at once since `stream_start`' }),
  listeners: Type.Integer({ description: 'over all replicas' }),
  listenurl: Type.String(),
  samplerate: Type.Integer({ description: 'Hz' }),
  server_description: Type.String(),
  server_name: Type.String(),
  server_type: Type.String({ description: 'content type' }),
  server_url: Type.String(),
  stream_start: Type.String(),
  stream_start_iso8601: Type.String(),
  title: Type.String({ description: 'artist and title of the song on air; empty without one' }),
  dummy: Type.Null(),
})
export type IcecastSource = Static<typeof Source>

/** The status page of Icecast 2.4, which widgets and directories read. */
export const IcecastStatus = Type.Object({
  icestats: Type.Object({
    admin: Type.String(),
    host: Type.String(),
    location: Type.String({ description: 'country code' }),
    server_id: Type.String(),
    server_start: Type.String(),
    server_start_iso8601: Type.String(),
    source: Type.Optional(
      Type.Union([Source, Type.Array(Source)], {
        description: 'one stream, or a list of several; left out while there is no sound',
      }),
    ),
  }),
})
export type IcecastStatus = Static<typeof IcecastStatus>
