import './admin.css'
import type { RadioState, ServerPayload } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { pathOf } from '../language.ts'
import { Languages } from '../languages.tsx'
import { lineOf, stationName } from '../listener/words.ts'
import { openLine } from '../live/line.ts'
import type { PageProps } from '../page.ts'
import { isChatting } from '../radio/airing.ts'
import { useStore } from '../store.ts'
import { texts } from '../texts.ts'
import { applyTheme } from '../theme.ts'
import { HostPanel } from './host-panel.tsx'
import { keptToken, logOut, whoAmI } from './session.ts'
import { type AdminTexts, adminTexts } from './texts.ts'

type Confirmed = ServerPayload<'admin_confirmed'>

/** The panel of whoever is logged in; who is not goes to the login. */
export function AdminPage({ locale, onLocale, goTo }: PageProps) {
  const [line] = useState(openLine)
  const air = useStore(line.air)
  const isConnected = useStore(line.isConnected)
  const hostsMode = useStore(line.hostsMode)
  const [confirmed, setConfirmed] = useState<Confirmed | null>(null)
  const t = adminTexts[locale]
  const name = stationName(air, locale, texts[locale])

  useEffect(() => {
    const toLogin = (why: string) => location.assign(`${pathOf({ page: 'adlogin', locale })}?why=${why}`)
    whoAmI().then(
      (admin) => admin || toLogin('expired'),
      () => {},
    )
    line.onConnect(() => line.say('admin_active', keptToken()))
    line.on('admin_confirmed', setConfirmed)
    line.on('privileges_updated', (account) => setConfirmed((known) => known && { ...known, ...account }))
    line.on('force_logout', ({ reason }) => {
      void logOut().then(() => toLogin(reason))
    })
    line.on('admin_error', (text) => {
      if (isInvalidSession(text)) void logOut().then(() => toLogin('expired'))
    })
    return line.close
  }, [])
  useEffect(() => {
    if (air) applyTheme(air.mode)
  }, [air?.mode])
  useEffect(() => {
    document.title = `${t.panel} · ${name}`
  }, [t, name])

  const leave = () => void logOut().then(() => goTo('adlogin'))
  return (
    <div class="panel">
      <header class="strip">
        <b class="strip-name">{name}</b>
        <OnAir air={air} t={t} />
        <Languages page="adpanel" locale={locale} label={t.language} onLocale={onLocale} />
        <button type="button" class="plain" onClick={leave}>
          {t.logOut}
        </button>
      </header>
      <main>
        {!isConnected && confirmed && (
          <p class="hint" role="status">
            {t.offline}
          </p>
        )}
        <Part {...{ confirmed, hostsMode, line, locale, t }} />
      </main>
    </div>
  )
}

function Part(props: {
  confirmed: Confirmed | null
  hostsMode: boolean | null
  line: ReturnType<typeof openLine>
  locale: PageProps['locale']
  t: AdminTexts
}) {
  const { confirmed, hostsMode, line, locale, t } = props
  if (!confirmed || hostsMode === null) return <p class="hint">{t.connecting}</p>
  if (!confirmed.authorized) return <p class="hint">{t.notAuthorized}</p>
  if (!hostsMode) return <p class="hint">{t.hostingOff}</p>
  if (!confirmed.privileges.includes('radio_host')) return <p class="hint">{t.noHostPrivilege}</p>
  return <HostPanel line={line} locale={locale} t={t.host} />
}

/** What is on air, and what comes next. */
function OnAir({ air, t }: { air: RadioState | null; t: AdminTexts }) {
  if (!air) return <p class="strip-air">{t.connecting}</p>
  const next = air.playlist[0]
  const now = air.isPreparing ? t.preparing : isChatting(air) ? t.chatting : lineOf(air)
  return (
    <p class="strip-air">
      <span class="badge">{t[air.mode]}</span>
      <span class="strip-now" aria-live="polite">
        {now}
      </span>
      {next && (
        <span class="strip-next">
          {t.next}: {lineOf(next)}
        </span>
      )}
    </p>
  )
}

function isInvalidSession(text: string): boolean {
  try {
    return (JSON.parse(text) as { code?: unknown }).code === 'ADMIN_INVALID_SESSION'
  } catch {
    return false
  }
}
