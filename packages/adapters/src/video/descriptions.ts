import { oneLine, readVideoLink, readYear, type VideoFacts, type VideoList } from '@solstice/station'
import { readObject } from '../services/json-object.ts'
import { MAX_SOUND_BYTES, tooLarge, unreadable } from './limits.ts'

/**
 * Parses the downloader's description of a video.
 *
 * @throws Failure BAD_REQUEST when the line is none, or already says that the sound is too large.
 */
export function readFacts(line: string): VideoFacts {
  const info = readObject(line)
  if (!info) throw unreadable()
  if (Number(info.filesize ?? info.filesize_approx ?? 0) > MAX_SOUND_BYTES) throw tooLarge()
  return {
    title: oneLine(textOf(info.track) || textOf(info.title)),
    artist: oneLine(textOf(info.artist) || textOf(info.creator)),
    album: oneLine(textOf(info.album)),
    year: readYear(Number(info.release_year) || null),
    publisher: oneLine(textOf(info.uploader) || textOf(info.channel)),
    url: textOf(info.webpage_url),
    isOfList: Boolean(info.playlist),
  }
}

/**
 * Parses the downloader's description of a link to a video or a playlist; null when it leads to neither.
 *
 * @param hosts video sites; entries that lead elsewhere are left out.
 */
export function readList(line: string, url: string, hosts: readonly string[]): VideoList | null {
  const info = readObject(line)
  if (!info) return null
  const isList = Array.isArray(info.entries)
  const entries = isList ? (info.entries as (Record<string, unknown> | null)[]) : [info]
  const tracks = entries.flatMap((entry) => {
    // Without a page of its own, `url` of a single video is the address of its sound.
    const link = textOf(entry?.webpage_url) || (isList ? textOf(entry?.url) : url)
    try {
      const found = readVideoLink(link, hosts)
      return found.isPlaylist ? [] : [{ url: found.url, title: oneLine(textOf(entry?.title)) || found.url }]
    } catch {
      return []
    }
  })
  if (!isList && tracks.length === 0) return null
  return { tracks, total: Math.max(tracks.length, Math.trunc(Number(info.playlist_count)) || 0) }
}

/** How the downloader is asked to print its progress. */
export const progressTemplate =
  'download:got %(progress.downloaded_bytes)s of %(progress.total_bytes)s or %(progress.total_bytes_estimate)s'

/** The downloaded share, 0 to 1, from a line of progress; null for other lines. */
export function readProgress(line: string): number | null {
  const [, got, total, estimate] = /^got ([\d.]+) of (\S+) or (\S+)$/.exec(line) ?? []
  const whole = Number(total) || Number(estimate)
  return got && whole > 0 ? Math.min(1, Number(got) / whole) : null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
