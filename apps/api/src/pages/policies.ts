import type { PageName } from '@solstice/contracts'
import { styleHash } from './template.ts'

/** The sources that differ between stations and builds. */
export interface PolicySources {
  /** Origin of the page. */
  origin: string
  /** Origin of signed links to music and pictures; null when this server sends them itself. */
  mediaOrigin: string | null
  /** CSP hashes of the style sheets that stand in the page. */
  styles: readonly string[]
  /** Origins of other sites that may show the player within their pages; `*` = all of them. */
  embedders: readonly string[]
}

interface PagePolicy {
  frames: 'nowhere' | 'own pages' | 'embedders'
  workers: string
  /** Sources of sound and pictures besides the page's own origin. */
  media: string
  microphone: '()' | '(self)'
  cache: 'no-cache' | 'no-store'
  /** Previews the player for other sites in a frame. */
  showsEmbed?: true
  /** Has an empty style sheet, which its script fills in browsers that can't make one. */
  fillsStyles?: true
}

const forListeners: PagePolicy = {
  frames: 'own pages',
  workers: "'self'",
  media: 'blob: data:',
  microphone: '()',
  cache: 'no-cache',
}

/** A panel may not be shown within another page, nor come back from the browser's memory after logging out. */
const forAdmins: PagePolicy = {
  frames: 'nowhere',
  workers: "'self' blob:",
  media: 'blob: data:',
  microphone: '(self)',
  cache: 'no-store',
}

const policies: Record<PageName, PagePolicy> = {
  player: forListeners,
  guest: { ...forListeners, workers: "'self' blob:", microphone: '(self)' },
  embed: { ...forListeners, workers: "'none'", frames: 'embedders', fillsStyles: true },
  status: { ...forListeners, media: '' },
  lost: { ...forListeners, media: '' },
  away: { ...forListeners, media: '' },
  adlogin: { ...forAdmins, microphone: '()' },
  adpanel: { ...forAdmins, showsEmbed: true },
}

/**
 * The headers by which a browser keeps a page to what it needs. Nothing that stands in a page is ever run, so there are no
 * nonces; style sheets in it are named by their hash.
 */
export function policyHeaders(page: PageName, { origin, mediaOrigin, styles, embedders }: PolicySources) {
  const { frames, workers, media, microphone, cache, showsEmbed, fillsStyles } = policies[page]
  const others = frames === 'embedders' ? embedders : []
  const hashes = fillsStyles ? [...styles, styleHash('')] : styles
  const mediaSources = ["'self'", media, mediaOrigin ?? ''].filter(Boolean).join(' ')
  const policy = [
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frames === 'nowhere' ? "'none'" : ["'self'", ...others].join(' ')}`,
    "script-src 'self'",
    `style-src ${["'self'", ...hashes.map((hash) => `'${hash}'`)].join(' ')}`,
    `img-src ${mediaSources}`,
    `media-src ${mediaSources}`,
    "manifest-src 'self'",
    `worker-src ${workers}`,
    ...(showsEmbed ? ["frame-src 'self'"] : []),
    // Older browsers don't count WebSockets of the same host as 'self'.
    `connect-src 'self' ${origin.replace(/^http/, 'ws')}`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    // Browsers would keep to it where it differs from the policy, and it can't name other sites.
    ...(others.length === 0 && { 'x-frame-options': frames === 'nowhere' ? 'DENY' : 'SAMEORIGIN' }),
    'permissions-policy': `microphone=${microphone}, camera=(), geolocation=(), payment=(), usb=()`,
    'cache-control': cache,
  }
}
