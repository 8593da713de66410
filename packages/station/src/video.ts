import { Failure } from './failure.ts'

/** A link to a video site that was looked at and found in order. */
export interface VideoLink {
  url: string
  /** It names a list of videos and no single one. */
  isPlaylist: boolean
}

/**
 * Reads a link that an admin pasted. Only https, the usual port and the hosts of the video site (or below them) are
 * taken, so that nobody makes the server fetch something else.
 *
 * @param hosts in lower case.
 * @throws Failure BAD_REQUEST
 */
export function readVideoLink(text: string | undefined, hosts: readonly string[]): VideoLink {
  if (!text?.trim()) throw new Failure('BAD_REQUEST', { field: 'url', reason: 'missing' })
  const foreign = new Failure('BAD_REQUEST', { field: 'url', reason: 'link_foreign' })
  if (!URL.canParse(text.trim())) throw foreign
  const url = new URL(text.trim())
  const isOfSite = hosts.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`))
  if (url.protocol !== 'https:' || url.port || url.username || url.password || !isOfSite) throw foreign
  const namesVideo = url.searchParams.has('v') || !/^\/(playlist)?\/?$/.test(url.pathname)
  return { url: url.href, isPlaylist: !namesVideo && url.searchParams.has('list') }
}

/**
 * Reads cookies in the Netscape cookie-jar form that download tools take.
 *
 * @param domain that they have to be of.
 * @throws Failure BAD_REQUEST
 */
export function readCookies(text: string | undefined, domain: string): string {
  const cookies = text?.trim() ?? ''
  if (!cookies) throw new Failure('BAD_REQUEST', { field: 'cookies', reason: 'missing' })
  if (!cookies.toLowerCase().includes(domain))
    throw new Failure('BAD_REQUEST', { field: 'cookies', reason: 'cookies_foreign' })
  return `${cookies}\n`
}
