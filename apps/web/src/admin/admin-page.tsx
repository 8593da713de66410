import './admin.css'
import type { RadioState, ServerPayload } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { formatDuration, songLine, stationName } from '../listener/format.ts'
import { type LiveConnection, openLiveConnection } from '../live/live-connection.ts'
import { createMicrophone, type Microphone } from '../live/microphone.ts'
import { isChatting } from '../radio/timeline.ts'
import { texts } from '../texts.ts'
import { pathOf } from '../ui/language.ts'
import { Languages } from '../ui/languages.tsx'
import type { PageProps } from '../ui/page-props.ts'
import { useStore } from '../ui/store.ts'
import { applyTheme } from '../ui/theme.ts'
import { useNow } from '../ui/use-now.ts'
import { HostPanel } from './host-panel.tsx'
import { createHostSession, type HostSession } from './host-session.ts'
import { logOut, storedToken, verifySession } from './session.ts'
import { type AdminTexts, adminTexts } from './texts.ts'

type Confirmed = ServerPayload<'admin_confirmed'>

/** The panel of whoever is logged in; who is not goes to the login. */
export function AdminPage({ locale, onLocale, goTo }: PageProps) {
  const [line] = useState(openLiveConnection)
  const [microphone] = useState(createMicrophone)
  // From the first moment on: what an admin is told is told once.
  const [host] = useState(() => createHostSession(line, microphone))
  const air = useStore(line.air)
  const isConnected = useStore(line.isConnected)
  const hostsMode = useStore(line.hostsMode)
  const [confirmed, setConfirmed] = useState<Confirmed | null>(null)
  const [isDetached, setDetached] = useState(false)
  const t = adminTexts[locale]
  const name = stationName(air, locale, texts[locale])

  const attach = () => line.send('admin_active', storedToken())
  const leaveAir = () => host.state.value.phase !== 'off' && host.leave()
  useEffect(() => {
    const toLogin = (why: string) => location.replace(`${pathOf({ page: 'adlogin', locale })}?why=${why}`)
    const logOutBecause = (why: string) => {
      leaveAir()
      void logOut().then(() => toLogin(why))
    }
    verifySession().then(
      (admin) => admin || toLogin('expired'),
      () => {},
    )
    line.onConnect(attach)
    line.on('admin_confirmed', (account) => {
      setDetached(false)
      setConfirmed(account)
    })
    line.on('privileges_updated', (account) => {
      if (!mayHost(account)) leaveAir()
      setConfirmed((known) => known && { ...known, ...account })
    })
    line.on('force_logout', ({ reason }) => logOutBecause(reason))
    line.on('admin_error', (text) => {
      const code = codeOf(text)
      if (code === 'ADMIN_INVALID_SESSION') logOutBecause('expired')
      if (code === 'ADMIN_SESSION_REPLACED') setDetached(true)
    })
    return line.close
  }, [])
  useEffect(() => {
    if (air) applyTheme(air.mode)
  }, [air?.mode])
  useEffect(() => {
    document.title = `${t.panel} · ${name}`
  }, [t, name])

  const leave = () => {
    leaveAir()
    void logOut().then(() => goTo('adlogin'))
  }
  return (
    <div class="panel">
      <header class="strip">
        <a class="strip-name" href={pathOf({ page: 'player', locale })}>
          {name}
        </a>
        <OnAir air={air} line={line} t={t} />
        <div class="strip-end">
          <Languages page="adpanel" locale={locale} label={t.language} onLocale={onLocale} />
          <button type="button" class="plain" onClick={leave}>
            {t.logOut}
          </button>
        </div>
      </header>
      <main>
        <p class="refusal" role="status">
          {!isConnected && confirmed && t.offline}
        </p>
        {isDetached ? (
          <div class="host">
            <header class="host-head">
              <h1>{t.panel}</h1>
            </header>
            <p class="hint">{t.detached}</p>
            <button type="button" class="button primary" onClick={attach}>
              {t.attach}
            </button>
          </div>
        ) : (
          <Part {...{ confirmed, hostsMode, host, line, microphone, locale, t }} />
        )}
      </main>
    </div>
  )
}

function Part(props: {
  confirmed: Confirmed | null
  hostsMode: boolean | null
  host: HostSession
  line: LiveConnection
  microphone: Microphone
  locale: PageProps['locale']
  t: AdminTexts
}) {
  const { confirmed, hostsMode, t, ...studio } = props
  const hindrance = () => {
    if (!confirmed || hostsMode === null) return t.connecting
    if (!confirmed.authorized) return t.notAuthorized
    if (!hostsMode) return t.hostingOff
    return mayHost(confirmed) ? null : t.noHostPrivilege
  }
  const why = hindrance()
  if (why)
    return (
      <div class="host">
        <header class="host-head">
          <h1>{t.panel}</h1>
        </header>
        <p class="hint">{why}</p>
      </div>
    )
  return <HostPanel {...studio} t={t.host} />
}

const mayHost = ({ privileges }: Pick<Confirmed, 'privileges'>) => privileges.includes('radio_host')

/** What is on air and how much of it is left, and what comes next. */
function OnAir({ air, line, t }: { air: RadioState | null; line: LiveConnection; t: AdminTexts }) {
  useNow(air?.duration ? 500 : null)
  if (!air) return <p class="strip-air">{t.connecting}</p>
  const next = air.playlist[0]
  const now = air.isPreparing ? t.preparing : isChatting(air) ? t.chatting : songLine(air)
  const leftS = air.duration - air.seek - (line.stationNowMs() - air.serverTimeMs) / 1000
  return (
    <p class="strip-air">
      <span class="badge">{t[air.mode]}</span>
      <span class="strip-now" aria-live="polite">
        {now}
      </span>
      {air.duration > 0 && <span role="timer">−{formatDuration(Math.max(0, leftS))}</span>}
      {next && (
        <span class="strip-next">
          {t.next}: {songLine(next)}
        </span>
      )}
    </p>
  )
}

/** The code of what `admin_error` says; null when it says none. */
function codeOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { code?: unknown }).code
  } catch {
    return null
  }
}
