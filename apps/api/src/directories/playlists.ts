import type { NowPlaying } from '@solstice/contracts'

type Station = Pick<NowPlaying, 'station' | 'streams'>

/** An extended M3U of the streams; a player tries them in order. */
export function m3u(now: Station): string {
  const entries = now.streams.flatMap((stream) => [`#EXTINF:-1,${titleOf(now, stream)}`, stream.url])
  return ['#EXTM3U', ...entries, ''].join('\n')
}

/** A PLS of the streams. */
export function pls(now: Station): string {
  const entries = now.streams.flatMap((stream, i) => [
    `File${i + 1}=${stream.url}`,
    `Title${i + 1}=${titleOf(now, stream)}`,
    `Length${i + 1}=-1`,
  ])
  return ['[playlist]', `NumberOfEntries=${now.streams.length}`, ...entries, 'Version=2', ''].join('\n')
}

/** An XSPF of the streams. */
export function xspf(now: Station): string {
  const tracks = now.streams.map(
    (stream) =>
      `    <track>\n      <location>${xml(stream.url)}</location>\n      <title>${xml(titleOf(now, stream))}</title>\n    </track>`,
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<playlist version="1" xmlns="http://xspf.org/ns/0/">',
    `  <title>${xml(nameOf(now))}</title>`,
    `  <info>${xml(now.station.url)}</info>`,
    '  <trackList>',
    ...tracks,
    '  </trackList>',
    '</playlist>',
    '',
  ].join('\n')
}

const CODECS = { 'audio/mpeg': 'MP3', 'audio/aac': 'AAC', 'audio/ogg': 'Opus' } as const

function titleOf(now: Station, { format, bitrate }: NowPlaying['streams'][number]): string {
  return now.streams.length > 1 ? `${nameOf(now)} (${CODECS[format]} ${bitrate} kbit/s)` : nameOf(now)
}

/** The English name on one line, as in `icy-name`. */
function nameOf({ station }: Station): string {
  return station.name.en.replace(/\p{Cc}+/gu, ' ').trim() || 'Radio'
}

function xml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}
