import { type PageView, sharing } from '@solstice/contracts'
import { type Html, html, ownMarkup } from '../http/html.ts'
import { type LinkFacts, linkTags } from './link-tags.ts'

/** A page and the moment it is sent: all that its head may speak of. */
export interface PageFacts extends Omit<PageView, 'body'>, LinkFacts {}

/** The tags of a page's head, but for scripts and style sheets. */
export function headTags(facts: PageFacts): Html {
  const { title, description, stationName, themeColor, style, locale } = facts
  return html`<title>${title}</title>
<meta name="description" content="${description}">
<meta name="theme-color" content="${themeColor}">
${linkTags(facts)}
<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<link rel="manifest" href="${sharing.getManifest.path}?lang=${locale}">
<meta name="application-name" content="${stationName}">
<meta name="mobile-web-app-capable" content="yes">
<meta name="apple-mobile-web-app-title" content="${stationName}">
<meta name="apple-mobile-web-app-status-bar-style" content="default">${style ? html`<style>${ownMarkup(style)}</style>` : null}`
}
