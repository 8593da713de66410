/** The name of the cookie with the look that a listener chose, so that the first paint has it already. */
export const LISTENER_LOOK = 'radio_look'

/** How a listener wants the page to look. */
export interface Look {
  /** Dark by day too. */
  isDark: boolean
  /** Per cent of the browser's own size. */
  textSize: '100' | '125' | '150' | '200'
  isStill: boolean
  /** `#rrggbb`; '' = the station's own. */
  accent: string
}

/** The look of a listener who chose nothing. */
export const ownLook: Look = { isDark: false, textSize: '100', isStill: false, accent: '' }

/** A look as the cookie has it; '' for one in which nothing was chosen. */
export function lookText({ isDark, textSize, isStill, accent }: Look): string {
  const words = [
    isDark && 'dark',
    textSize !== '100' && textSize,
    isStill && 'still',
    accent.replace('#', ''),
  ]
  return words.filter(Boolean).join('.')
}

/** The look in a cookie, which may hold anything: what it does not name is left as it is. */
export function lookOf(text: string | undefined): Look {
  const words = (text ?? '').split('.', 5)
  const sizes = ['125', '150', '200'] as const
  const colour = words.find((word) => /^[0-9a-f]{6}$/i.test(word))
  return {
    isDark: words.includes('dark'),
    textSize: sizes.find((size) => words.includes(size)) ?? '100',
    isStill: words.includes('still'),
    accent: colour ? `#${colour.toLowerCase()}` : '',
  }
}
