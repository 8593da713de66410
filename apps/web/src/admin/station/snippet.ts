interface Wanted {
  way: string
  layout: string
  theme: string
  language: string
}

/** Pixels that a frame needs. */
const heights: Record<string, number> = { compact: 112, card: 470 }
const widths: Record<string, number> = { compact: 420, card: 340 }

/** The code that shows the player on another site, and where the same player is found as a page. */
export function snippetFor(station: string, { way, layout, theme, language }: Wanted) {
  const address = `${station}/embed?${new URLSearchParams({ layout, theme, lang: language })}`
  const height = heights[layout]!
  const frame = `<iframe src="${address.replaceAll('&', '&amp;')}" title="${new URL(station).host}" width="${widths[layout]}" height="${height}" style="border:0" loading="lazy"></iframe>`
  const component = `<script src="${station}/solstice-player.js" async></script>
<solstice-player src="${station}" layout="${layout}" theme="${theme}" lang="${language}"></solstice-player>`
  return { address, height, code: way === 'frame' ? frame : component }
}
