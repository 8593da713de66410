import type { IcecastSource, IcecastStatus, NowPlaying } from '@solstice/contracts'
import { type DirectoryEntry, SAMPLE_RATE } from '@solstice/station'
import type { Audience } from '../now-playing/audience.ts'

const CHANNELS = 2

/**
 * Status of the streams in the form of Icecast 2.4.
 *
 * @param about.hasSound without it there are no streams, as when a source of Icecast is away.
 * @param about.mount path of the only stream that is asked for.
 */
export function icecastStatus(
  now: NowPlaying,
  about: {
    directory: DirectoryEntry
    /** Of each stream, in their order. */
    audiences: readonly Pick<Audience, 'size' | 'peak' | 'sinceMs'>[]
    hasSound: boolean
    mount?: string | undefined
  },
): IcecastStatus {
  const { directory, audiences, hasSound, mount } = about
  const start = timesOf(Math.min(...audiences.map(({ sinceMs }) => sinceMs)))
  const isAsked = (url: string) => mount === undefined || new URL(url).pathname === mount
  const sources = now.streams.flatMap((stream, i) =>
    hasSound && isAsked(stream.url) ? sourceOf(stream, now, directory, audiences[i]!) : [],
  )
  const [first] = sources
  return {
    icestats: {
      admin: '',
      host: new URL(now.station.url).hostname,
      location: directory.countryCode,
      server_id: 'Icecast 2.4.4',
      server_start: start.text,
      server_start_iso8601: start.iso8601,
      ...(first && { source: sources.length > 1 ? sources : first }),
    },
  }
}

function sourceOf(
  { url, format, bitrate }: NowPlaying['streams'][number],
  { station, current }: NowPlaying,
  directory: DirectoryEntry,
  audience: Pick<Audience, 'size' | 'peak' | 'sinceMs'>,
): IcecastSource {
  const start = timesOf(audience.sinceMs)
  return {
    audio_info: `channels=${CHANNELS};samplerate=${SAMPLE_RATE};bitrate=${bitrate}`,
    bitrate,
    channels: CHANNELS,
    genre: directory.genre || 'Various',
    listener_peak: audience.peak,
    listeners: audience.size,
    listenurl: url,
    samplerate: SAMPLE_RATE,
    server_description: directory.description,
    server_name: station.name.en,
    server_type: format,
    server_url: directory.url || station.url,
    stream_start: start.text,
    stream_start_iso8601: start.iso8601,
    title: [current?.artist, current?.title].filter((text) => text?.trim()).join(' - '),
    dummy: null,
  }
}

/** A moment as Icecast writes it. */
function timesOf(ms: number): { text: string; iso8601: string } {
  const at = new Date(ms)
  return {
    text: at.toUTCString().replace('GMT', '+0000'),
    iso8601: at.toISOString().replace(/\.\d+Z$/, '+0000'),
  }
}
