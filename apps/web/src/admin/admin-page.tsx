import './admin-page.css'
import type { Locale, ServerPayload } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { stationName } from '../listener/format.ts'
import { type LiveConnection, openLiveConnection } from '../live/live-connection.ts'
import { createMicrophone } from '../live/microphone.ts'
import { texts } from '../texts.ts'
import { pathOf } from '../ui/language/language.ts'
import type { PageProps } from '../ui/page-props.ts'
import { useStore } from '../ui/store.ts'
import { applyTheme } from '../ui/theme.ts'
import { HostPanel } from './host/host-panel.tsx'
import { createHostSession, type HostSession } from './host/host-session.ts'
import { logOut, storedToken, verifySession } from './session.ts'
import { Strip } from './strip.tsx'
import { type AdminTexts, adminTexts } from './texts.ts'

type Account = ServerPayload<'admin_confirmed'>

/** The panel of the admin who is logged in; anybody else is sent to the login. */
export function AdminPage({ locale, onLocale, goTo }: PageProps) {
  const [connection] = useState(openLiveConnection)
  const [microphone] = useState(createMicrophone)
  // Created before `admin_active` is sent: the station announces the state of hosting once.
  const [host] = useState(() => createHostSession(connection, microphone))
  const air = useStore(connection.air)
  const link = useStore(connection.link)
  const hostsMode = useStore(connection.hostsMode)
  const { account, isDetached } = useAdminSession(connection, host, locale)
  const t = adminTexts[locale]
  const name = stationName(air, locale, texts[locale])

  useEffect(() => {
    if (air) applyTheme(air.mode)
  }, [air?.mode])
  useEffect(() => {
    document.title = `${t.panel} · ${name}`
  }, [t, name])

  const leave = () => {
    leaveAir(host)
    void logOut().then(() => goTo('adlogin'))
  }
  const obstacle = obstacleOf(account, hostsMode, t)
  return (
    <div class="panel">
      <Strip {...{ name, connection, locale, onLocale, t }} onLogOut={leave} />
      <main>
        <p class="refusal" role="status">
          {link !== 'online' && account && t.offline}
        </p>
        {isDetached ? (
          <Hint t={t} text={t.detached}>
            <button type="button" class="button primary" onClick={() => attach(connection)}>
              {t.attach}
            </button>
          </Hint>
        ) : obstacle ? (
          <Hint t={t} text={obstacle} />
        ) : (
          <HostPanel {...{ host, connection, microphone, locale }} t={t.host} />
        )}
      </main>
    </div>
  )
}

/** A sentence instead of the studio. */
function Hint({ t, text, children }: { t: AdminTexts; text: string; children?: ComponentChildren }) {
  return (
    <div class="host">
      <header class="host-head">
        <h1>{t.panel}</h1>
      </header>
      <p class="hint">{text}</p>
      {children}
    </div>
  )
}

/** Introduces this window to the station as the admin's. */
const attach = (connection: LiveConnection) => connection.send('admin_active', storedToken())

const leaveAir = (host: HostSession) => host.state.value.phase !== 'off' && host.leave()

/** The account as the station confirmed it, and whether this window lost its place to newer ones. */
function useAdminSession(connection: LiveConnection, host: HostSession, locale: Locale) {
  const [account, setAccount] = useState<Account | null>(null)
  const [isDetached, setDetached] = useState(false)
  useEffect(() => {
    const toLogin = (why: string) => location.replace(`${pathOf({ page: 'adlogin', locale })}?why=${why}`)
    const logOutBecause = (why: string) => {
      leaveAir(host)
      void logOut().then(() => toLogin(why))
    }
    verifySession().then(
      (admin) => admin || toLogin('expired'),
      () => {},
    )
    connection.onConnect(() => attach(connection))
    connection.on('admin_confirmed', (confirmed) => {
      setDetached(false)
      setAccount(confirmed)
    })
    connection.on('privileges_updated', (change) => {
      if (!mayHost(change)) leaveAir(host)
      setAccount((known) => known && { ...known, ...change })
    })
    connection.on('force_logout', ({ reason }) => logOutBecause(reason))
    connection.on('admin_error', (text) => {
      const code = codeOf(text)
      if (code === 'ADMIN_INVALID_SESSION') logOutBecause('expired')
      if (code === 'ADMIN_SESSION_REPLACED') setDetached(true)
    })
    return connection.close
  }, [])
  return { account, isDetached }
}

/** Why there is no studio, as a sentence; null when there is one. */
function obstacleOf(account: Account | null, hostsMode: boolean | null, t: AdminTexts): string | null {
  if (!account || hostsMode === null) return t.connecting
  if (!account.authorized) return t.notAuthorized
  if (!hostsMode) return t.hostingOff
  return mayHost(account) ? null : t.noHostPrivilege
}

const mayHost = ({ privileges }: Pick<Account, 'privileges'>) => privileges.includes('radio_host')

/** The code in the JSON of `admin_error`; undefined when it has none. */
function codeOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { code?: unknown }).code
  } catch {
    return undefined
  }
}
