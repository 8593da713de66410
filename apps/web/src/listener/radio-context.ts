import type { Locale } from '@solstice/contracts'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Radio } from '../radio/radio.ts'
import type { Texts } from './texts/texts.ts'

interface RadioView {
  radio: Radio
  locale: Locale
  t: Texts
}

const RadioContext = createContext<RadioView | null>(null)

export const RadioProvider = RadioContext.Provider

/** The radio, the language and its texts, as the listener page provides them. */
export function useRadio(): RadioView {
  const view = useContext(RadioContext)
  if (!view) throw new Error('Not within a RadioProvider')
  return view
}
