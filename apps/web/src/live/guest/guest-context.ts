import type { Locale } from '@solstice/contracts'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { LiveConnection } from '../live-connection.ts'
import type { Microphone } from '../microphone.ts'
import type { GuestSession } from './guest-session.ts'
import type { GuestTexts } from './texts.ts'

interface GuestView {
  connection: LiveConnection
  microphone: Microphone
  guest: GuestSession
  locale: Locale
  t: GuestTexts
}

const GuestContext = createContext<GuestView | null>(null)

export const GuestProvider = GuestContext.Provider

/** The session of the guest, the language and its texts, as the guest page provides them. */
export function useGuest(): GuestView {
  const view = useContext(GuestContext)
  if (!view) throw new Error('Not within a GuestProvider')
  return view
}
