import type { Locale, PublicConfig } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { get } from '../api.ts'
import { trackLine } from '../listener/format.ts'
import type { LiveConnection } from '../live/live-connection.ts'
import { pathOf } from '../ui/language/language.ts'
import { localizedText } from '../ui/language/localized-text.ts'
import type { Account } from './data/access.ts'
import type { Queries } from './data/queries.ts'
import { cooldownIn, type SocketAnswer, type StationLog } from './data/station-log.ts'
import type { Toasts } from './data/toasts.ts'
import type { HostSession } from './host/host-session.ts'
import { panelTexts } from './panel-texts.ts'
import { logOut, storedToken, verifySession } from './session.ts'

interface Deps {
  connection: LiveConnection
  host: HostSession
  queries: Queries
  toasts: Toasts
  log: StationLog
}

/** Whether this window may work. `detached`: it lost its place to newer windows of the account. */
export type AdminSession =
  | { is: 'connecting' }
  | { is: 'detached'; attach: () => void }
  | { is: 'in'; account: Account; config: PublicConfig; verify: () => void }

const RETRY_MS = 3_000
/** How long an undo is offered: about as long as nothing else can be removed. */
const UNDO_MS = 30_000

/** Introduces this window to the station as the admin's at every connection, and says what the station answers. */
export function useAdminSession(deps: Deps, locale: Locale): AdminSession {
  const { connection, host, queries, toasts, log } = deps
  const [account, setAccount] = useState<Account | null>(null)
  const [config, setConfig] = useState<PublicConfig | null>(null)
  const [isConfirmed, setConfirmed] = useState(false)
  const [isDetached, setDetached] = useState(false)
  const language = useRef(locale)
  language.current = locale
  const attach = () => connection.send('admin_active', storedToken())
  const leaveAir = () => host.state.value.phase !== 'off' && host.leave()
  const toLogin = (why: string) =>
    location.replace(`${pathOf({ page: 'adlogin', locale: language.current })}?why=${why}`)
  const logOutBecause = (why: string) => {
    leaveAir()
    void logOut().then(() => toLogin(why))
  }
  const known = useRef(config)
  known.current = config
  const hear = (answer: SocketAnswer, isDone: boolean) => {
    const found = known.current && cooldownIn(answer, isDone, known.current.limits)
    if (found) log.startCooldown(found.name, found.secsLeft)
  }
  const verify = () => verifySession().then((admin) => (admin ? setAccount(admin) : toLogin('expired')))

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const start = () =>
      Promise.all([verify(), get('/api/public/config').then(setConfig)]).catch(() => {
        timer = setTimeout(start, RETRY_MS)
      })
    void start()
    let isFirst = true
    connection.onConnect(() => {
      attach()
      // What was missed while there was no connection is not announced again.
      if (!isFirst) queries.invalidate('')
      isFirst = false
    })
    connection.on('admin_confirmed', (confirmed) => {
      setDetached(false)
      setConfirmed(true)
      setAccount((known) => known && { ...known, ...confirmed })
    })
    connection.on('privileges_updated', (change) => {
      if (!change.privileges.includes('radio_host')) leaveAir()
      setAccount((known) => known && { ...known, ...change })
      void verify().catch(() => {})
      queries.invalidate('')
    })
    connection.on('force_logout', ({ reason }) => logOutBecause(reason))
    connection.on('admin_success', (text) => {
      const answer = answerOf(text)
      const said = localizedText(text, language.current)
      const { entry } = answer
      hear(answer, true)
      if (!entry) return toasts.show({ is: 'done', text: said })
      const undo = {
        label: panelTexts[language.current].undo,
        run: () => connection.send('admin_restore_song', { entryId: entry.entryId }),
      }
      toasts.show({ is: 'done', text: `${said}: ${trackLine(entry)}`, action: undo }, UNDO_MS)
    })
    connection.on('admin_error', (text) => {
      const answer = answerOf(text)
      if (answer.code === 'ADMIN_INVALID_SESSION') return logOutBecause('expired')
      if (answer.code === 'ADMIN_SESSION_REPLACED') return setDetached(true)
      hear(answer, false)
      toasts.show({ is: 'failed', text: localizedText(text, language.current) })
    })
    return () => {
      clearTimeout(timer)
      log.close()
      connection.close()
    }
  }, [])

  if (isDetached) return { is: 'detached', attach }
  if (!account || !config || !isConfirmed) return { is: 'connecting' }
  return { is: 'in', account, config, verify: () => void verify().catch(() => {}) }
}

/** The fields of the JSON of `admin_success` and `admin_error`; none when it isn't JSON. */
function answerOf(text: string): SocketAnswer {
  try {
    return JSON.parse(text) as object
  } catch {
    return {}
  }
}
