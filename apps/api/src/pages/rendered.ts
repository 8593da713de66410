import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A page as sent to everybody who asks for it within a second. */
export interface RenderedPage {
  text: string
  /** CSP hashes of its style sheets. */
  styles: readonly string[]
}

export type Encoding = 'br' | 'gzip' | 'identity'

interface SentPage extends RenderedPage {
  encoded(encoding: Encoding): Promise<Buffer>
}

const LIFE_MS = 1000
/** The address in a request may be anything, so their number is bounded. */
const MAX_PAGES = 64
/** Pages change each second, so they are compressed quickly rather than well. */
const BROTLI_QUALITY = 4

/** Keeps what was rendered for a second: a crowd that arrives at once costs little more than one listener. */
export function createRenderedPages(nowMs: () => number) {
  let pages = new Map<string, Promise<SentPage>>()
  let sinceMs = Number.NEGATIVE_INFINITY
  return {
    /** The page under this key, rendered at most a second ago. */
    get(key: string, render: () => Promise<RenderedPage>): Promise<SentPage> {
      const isOld = nowMs() - sinceMs >= LIFE_MS
      if (isOld || pages.size >= MAX_PAGES) {
        pages = new Map()
        sinceMs = nowMs()
      }
      let page = pages.get(key)
      if (!page) {
        page = render().then(encodedWhenAsked)
        pages.set(key, page)
        page.catch(() => pages.delete(key))
      }
      return page
    },
  }
}

function encodedWhenAsked(page: RenderedPage): SentPage {
  const made = new Map<Encoding, Promise<Buffer>>()
  return {
    ...page,
    encoded(encoding) {
      const bytes = made.get(encoding) ?? encode(page.text, encoding)
      made.set(encoding, bytes)
      return bytes
    },
  }
}

async function encode(text: string, encoding: Encoding): Promise<Buffer> {
  const bytes = Buffer.from(text)
  if (encoding === 'identity') return bytes
  if (encoding === 'gzip') return promisify(gzip)(bytes)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return promisify(brotliCompress)(bytes, { params })
}

/** The best encoding that an `Accept-Encoding` header allows. */
export function encodingFor(header: string | undefined): Encoding {
  const accepted = new Set<string>()
  for (const offer of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = offer.split(';').map((part) => part.trim())
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) accepted.add(name)
  }
  return (['br', 'gzip'] as const).find((name) => accepted.has(name)) ?? 'identity'
}
