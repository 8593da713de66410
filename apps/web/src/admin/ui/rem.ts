/** How many pixels a rem has now: 16, unless the browser is set to other letters. */
export const remPx = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
