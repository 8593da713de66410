import type { Locale } from '@solstice/contracts'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { LiveConnection } from '../../live/live-connection.ts'
import type { Microphone } from '../../live/microphone.ts'
import { useStore } from '../../ui/store.ts'
import type { HostSession, HostState } from './host-session.ts'
import type { StudioTexts } from './texts.ts'

export interface Studio {
  host: HostSession
  connection: LiveConnection
  microphone: Microphone
  locale: Locale
  t: StudioTexts
}

const StudioContext = createContext<Studio | null>(null)

export const StudioProvider = StudioContext.Provider

/** The session of the host, its state now, the language and its texts, as the host panel provides them. */
export function useStudio(): Studio & { state: HostState } {
  const studio = useContext(StudioContext)
  if (!studio) throw new Error('Not within a StudioProvider')
  return { ...studio, state: useStore(studio.host.state) }
}
