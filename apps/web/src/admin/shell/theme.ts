import type { Mode } from '@solstice/contracts'
import { useEffect } from 'preact/hooks'
import { readStored, writeStored } from '../../ui/browser-storage.ts'
import { createStore, useStore } from '../../ui/store.ts'
import { applyTheme, rememberedMode } from '../../ui/theme.ts'

/** The look of the panel: as the programme on air, or always light, or always dark. */
export const themeChoices = ['air', 'day', 'night'] as const
export type ThemeChoice = (typeof themeChoices)[number]

const CHOICE = 'admin_theme'
const stored = readStored(CHOICE)
export const themeChoice = createStore<ThemeChoice>(themeChoices.find((choice) => choice === stored) ?? 'air')

export function chooseTheme(choice: ThemeChoice): void {
  writeStored(CHOICE, choice)
  themeChoice.set(choice)
}

export function usePanelTheme(onAir: Mode | null): void {
  const choice = useStore(themeChoice)
  useEffect(() => applyTheme(choice === 'air' ? (onAir ?? rememberedMode()) : choice), [choice, onAir])
}
