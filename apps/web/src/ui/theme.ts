import type { Mode } from '@solstice/contracts'
import { readStored, writeStored } from './browser-storage.ts'

/** The colours of both modes. The style sheet `tokens.css` has the same ones; tests compare them and check their contrast. */
export const themes = {
  day: {
    sky: '#f6efe2',
    horizon: '#e9dcc3',
    ink: '#1d1a16',
    inkSoft: '#5f5749',
    light: '#d9801e',
    onLight: '#1d1a16',
    focus: '#8a4b08',
    live: '#b3261e',
    line: '#d8cbb2',
  },
  night: {
    sky: '#10131f',
    horizon: '#1b2033',
    ink: '#ece8df',
    inkSoft: '#9a9db0',
    light: '#c9d4ff',
    onLight: '#10131f',
    focus: '#c9d4ff',
    live: '#ff8a7a',
    line: '#2b3147',
  },
} as const satisfies Record<Mode, Record<string, string>>

const LAST_MODE = 'radio_mode'

/** The mode of the last visit, in which the page opens until the station says otherwise. */
export const rememberedMode = (): Mode => (readStored(LAST_MODE) === 'night' ? 'night' : 'day')

/**
 * Opens the page in a mode: the chosen one, else the one it was sent in or, when the station didn't send it, that of the last
 * visit.
 */
export function openTheme(chosen?: Mode): void {
  const { mode } = document.documentElement.dataset
  show(chosen ?? (mode === 'night' || mode === 'day' ? mode : rememberedMode()))
}

/** Shows the mode of the station, at once. */
export function applyTheme(mode: Mode): void {
  show(mode)
  writeStored(LAST_MODE, mode)
}

function show(mode: Mode): void {
  document.documentElement.dataset.mode = mode
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', themes[mode].sky)
}
