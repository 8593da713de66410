import { useEffect, useState } from 'preact/hooks'
import { stationName } from '../listener/format.ts'
import { openLiveConnection } from '../live/live-connection.ts'
import { createMicrophone } from '../live/microphone.ts'
import { pathOf } from '../ui/language/language.ts'
import { lazyPage } from '../ui/loading/lazy-page.tsx'
import type { PageProps } from '../ui/loading/page-props.ts'
import { useStore } from '../ui/store.ts'
import { PanelProvider } from './data/panel.ts'
import { createQueries, outdatedBy } from './data/queries.ts'
import { openStationLog } from './data/station-log.ts'
import { createToasts } from './data/toasts.ts'
import { createHostSession } from './host/host-session.ts'
import { createIntake } from './intake/intake.ts'
import { logOut } from './session.ts'
import { Opening } from './shell/opening.tsx'
import { Shell } from './shell/shell.tsx'
import { usePanelTheme } from './shell/theme.ts'
import { adminTexts } from './texts.ts'
import { PageToasts } from './ui/layers/toast-list.tsx'
import { useAdminSession } from './use-admin-session.ts'

/** Seen once by each helper. */
const Activation = lazyPage(async () => (await import('./shell/activation.tsx')).Activation)

/** Opened before `admin_active` is sent: the station announces some things once. */
function openPanel() {
  const connection = openLiveConnection()
  const microphone = createMicrophone()
  const queries = createQueries()
  for (const [event, paths] of Object.entries(outdatedBy))
    connection.on(event as keyof typeof outdatedBy, () => queries.invalidate(...paths))
  return {
    connection,
    microphone,
    queries,
    host: createHostSession(connection, microphone),
    toasts: createToasts(),
    log: openStationLog(connection),
    intake: createIntake(),
  }
}

/** The panel of the admin who is logged in; anybody else is sent to the login. */
export function AdminPage({ locale, onLocale, goTo }: PageProps) {
  const [opened] = useState(openPanel)
  const { connection, host } = opened
  const session = useAdminSession(opened, locale)
  const air = useStore(connection.air)
  const t = adminTexts[locale]
  const name = stationName(air, locale)
  usePanelTheme(air?.mode ?? null)
  useEffect(() => opened.intake.close, [opened])
  useEffect(() => {
    document.title = `${t.panel} · ${name}`
  }, [t, name])

  if (session.is === 'connecting') return <Opening t={t} text={t.connecting} />
  if (session.is === 'detached')
    return <Opening t={t} text={t.detached} action={{ label: t.attach, run: session.attach }} />
  const end = () => {
    if (host.state.value.phase !== 'off') host.leave()
    void logOut().then(() => goTo('adlogin'))
  }
  const { account, config, verify } = session
  return (
    <PanelProvider value={{ ...opened, account, config, locale, onLocale, verify, logOut: end }}>
      {account.authorized ? (
        <Shell name={name} home={pathOf({ page: 'player', locale })} />
      ) : (
        <Activation onActivated={verify} />
      )}
      <PageToasts />
    </PanelProvider>
  )
}
