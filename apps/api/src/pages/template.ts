import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Look } from '@solstice/contracts'
import { type Html, html, ownMarkup } from '../http/html.ts'

/** The parts of a page that are not in its file. */
export interface PageParts {
  lang: string
  /** Languages whose texts the browser fetches at once, if the file names any. */
  textsIn: readonly string[]
  mode: string
  look: Look
  head: Html
  body: Html
  /** Stands behind the body, before the browser runs any script. */
  data: Html | null
}

const TEXTS_LINK = /<link rel="modulepreload"[^>]* hreflang="(\w+)"[^>]*>/g
const STYLE_LINK = /<link rel="stylesheet"[^>]* href="\/(assets\/[\w.-]+\.css)"[^>]*>/g

/**
 * A built page with its style sheets in place of the links to them: the first paint then waits for one answer only.
 * Each keeps its address in `data-href`, so that scripts that need it don't fetch it again.
 *
 * @returns the page, and the CSP hashes of its style sheets.
 */
export async function readTemplate(root: string, file: string): Promise<{ text: string; styles: string[] }> {
  const text = await readFile(join(root, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    // A client that was made elsewhere may be a single page.
    return readFile(join(root, 'index.html'), 'utf8')
  })
  const styles: string[] = []
  let filled = ''
  let end = 0
  for (const link of text.matchAll(STYLE_LINK)) {
    const css = await readFile(join(root, link[1]!), 'utf8')
    styles.push(styleHash(css))
    filled += `${text.slice(end, link.index)}<style data-href="/${link[1]}">${css}</style>`
    end = link.index + link[0].length
  }
  return { text: filled + text.slice(end), styles }
}

/** By which a security policy allows a style sheet that stands in the page. */
export const styleHash = (css: string): string =>
  `sha256-${createHash('sha256').update(css).digest('base64')}`

/** Fills a page: `<html>` gets language and mode, the rest goes where the file has places for it. */
export function fillTemplate(
  text: string,
  { lang, textsIn, mode, look, head, body, data }: PageParts,
): string {
  const { textSize, isStill, accent } = look
  const chosen = html`${textSize === '100' ? null : html` data-text-size="${textSize}"`}${isStill ? html` data-motion="none"` : null}${accent ? html` data-accent="own"` : null}`
  const opening = html`<html lang="${lang}" data-mode="${mode}"${chosen}>`
  // Functions, since a `$` in a replacement would have a meaning.
  return text
    .replace(/<html[^>]*>/, () => opening.text)
    .replace(TEXTS_LINK, (link, language: string) => (textsIn.includes(language) ? link : ''))
    .replace(/<!--head-->.*<!--\/head-->/s, () => head.text)
    .replace(/<div id="page"><\/div>/, () => html`<div id="page">${body}</div>${data ?? ownMarkup('')}`.text)
}
