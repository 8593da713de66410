import type { Mode } from '@solstice/contracts'
import { readStored, writeStored } from './browser-storage.ts'

/** The colours of both modes, which `applyTheme` sets as custom properties; a test checks their contrast. */
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

export function applyTheme(mode: Mode): void {
  const root = document.documentElement
  root.dataset.mode = mode
  for (const [name, colour] of Object.entries(themes[mode]))
    root.style.setProperty(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, colour)
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', themes[mode].sky)
  writeStored(LAST_MODE, mode)
}
