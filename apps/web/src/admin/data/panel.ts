import type { Locale, PublicConfig, RadioState } from '@solstice/contracts'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { LiveConnection } from '../../live/live-connection.ts'
import type { Microphone } from '../../live/microphone.ts'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import type { HostSession } from '../host/host-session.ts'
import type { Intake } from '../intake/intake.ts'
import { type PanelTexts, panelTexts } from '../panel-texts.ts'
import { type AccessRule, type Account, accessTo, type Denial, type Verdict } from './access.ts'
import type { Queries } from './queries.ts'
import { type Cooldown, limitOf, type StationLog } from './station-log.ts'
import type { Toasts } from './toasts.ts'

/** Everything the shell opens once for all parts. */
export interface Panel {
  /** The only socket of this window. */
  readonly connection: LiveConnection
  readonly host: HostSession
  readonly microphone: Microphone
  readonly queries: Queries
  readonly toasts: Toasts
  /** Everything the station told since the panel was opened. */
  readonly log: StationLog
  /** Files on their way into the station. */
  readonly intake: Intake
  readonly account: Account
  readonly config: PublicConfig
  readonly locale: Locale
  readonly onLocale: (locale: Locale) => void
  /** Asks the station who works here, after the account was changed. */
  readonly verify: () => void
  readonly logOut: () => void
}

const PanelContext = createContext<Panel | null>(null)
export const PanelProvider = PanelContext.Provider

export function usePanel(): Panel {
  const panel = useContext(PanelContext)
  if (!panel) throw new Error('Not within a PanelProvider')
  return panel
}

/** The admin of this window, their rights, and the capabilities of the station. */
export function useAdmin(): Account & {
  config: PublicConfig
  locale: Locale
  verdict: (rule: AccessRule) => Verdict
  may: (rule: AccessRule) => boolean
} {
  const { account, config, locale } = usePanel()
  const verdict = (rule: AccessRule) => accessTo(rule, account, config)
  return { ...account, config, locale, verdict, may: (rule) => verdict(rule).is === 'open' }
}

/** The station's socket: `send`, `request`, `on`, and the clock. */
export const useStation = (): LiveConnection => usePanel().connection

/** The state of the air, null until the station announces it. */
export const useAir = (): RadioState | null => useStore(usePanel().connection.air)

/** The texts of the panel itself; a part has its own. */
export const useTexts = (): PanelTexts => panelTexts[usePanel().locale]

/** The sentence that says which privileges are missing, and who grants them. */
export function useDenial(): (denial: Denial) => string {
  const { locale } = usePanel()
  const { denied, privileges, quoted } = useTexts()
  return ({ missing, isAny }) => {
    const type = isAny ? 'disjunction' : 'conjunction'
    const names = missing.map((name) => quoted(privileges[name]))
    const list = new Intl.ListFormat(locale, { type }).format(names)
    return isAny || missing.length === 1 ? denied.one(list) : denied.all(list)
  }
}

/** Says what happened. */
export const useToasts = (): Toasts => usePanel().toasts

/** The rest of a cooldown of the queue: whole seconds, and the part of its length. */
export function useCooldown(name: Cooldown): { secsLeft: number; part: number } {
  const { log, connection, config } = usePanel()
  const endsAtMs = useStore(log.cooldowns)[name]
  const leftMs = Math.max(0, endsAtMs - connection.stationNowMs())
  useNow(leftMs > 0 ? 500 : null)
  const lastsMs = Math.max(config.limits[limitOf[name]] * 1000, leftMs, 1)
  return { secsLeft: Math.ceil(leftMs / 1000), part: leftMs / lastsMs }
}
