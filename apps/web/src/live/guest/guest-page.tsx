import './guest-page.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { stationName } from '../../listener/format.ts'
import { Link } from '../../listener/header/link.tsx'
import { Stars, StillHorizon } from '../../listener/stage/horizon.tsx'
import { pathOf } from '../../ui/language/language.ts'
import { Languages } from '../../ui/language/languages.tsx'
import type { PageProps } from '../../ui/loading/page-props.ts'
import { turnTo } from '../../ui/motion/turn.ts'
import { useRestoredFocus } from '../../ui/sheet/restored-focus.ts'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { openLiveConnection } from '../live-connection.ts'
import { createMicrophone } from '../microphone.ts'
import { useOnAirGuard } from '../on-air-guard.ts'
import { GuestProvider } from './guest-context.ts'
import { createGuestSession, type GuestStatus } from './guest-session.ts'
import { GuestView } from './guest-view.tsx'
import { type GuestTexts, guestTexts } from './texts.ts'
import { leftMsOf } from './time-left.ts'

/** Where a listener asks to speak, waits for the hosts, and speaks. */
export function GuestPage({ locale, onLocale, goTo }: PageProps) {
  const [connection] = useState(openLiveConnection)
  const [microphone] = useState(createMicrophone)
  const [guest] = useState(() => createGuestSession(connection, microphone))
  const status = useStore(guest.status)
  const air = useStore(connection.air)
  const isOnline = useStore(connection.link) === 'online'
  const link = isOnline ? 'online' : air ? 'offline' : 'connecting'
  const hostsMode = useStore(connection.hostsMode)
  const t = guestTexts[locale]
  const name = stationName(air, locale)
  const home = pathOf({ page: 'player', locale })
  const headline = headlineOf(status, t)
  const main = useRef<HTMLElement>(null)

  useEffect(() => {
    if (hostsMode === false) goTo('player')
  }, [hostsMode])
  useEffect(() => {
    if (air) turnTo(air.mode)
  }, [air?.mode])
  useEffect(() => {
    document.title = `${headline} · ${name}`
  }, [headline, name])
  useOnAirGuard(status.is === 'live')
  useRestoredFocus(main)

  return (
    <GuestProvider value={{ connection, microphone, guest, locale, t }}>
      <header class="header">
        <a class="name" href={home}>
          {name}
        </a>
        <Link link={link} text={t.link[link]} />
        <div class="header-right">
          <a class="header-link" href={home}>
            {t.home}
          </a>
          <Languages page="guest" locale={locale} label={t.language} onLocale={onLocale} />
        </div>
      </header>
      <main class="stage guest" data-status={status.is} ref={main}>
        <div class="sky">
          <Stars />
        </div>
        <div class="rim">
          <Countdown status={status} />
          {status.is === 'invited' && (
            <button type="button" class="listen" disabled={status.isBusy} onClick={() => guest.connect()}>
              {status.isBusy ? t.connecting : t.connect}
            </button>
          )}
        </div>
        <div class="track room">
          <GuestView status={status} headline={headline} />
        </div>
        <p class="unseen" aria-live="polite">
          {status.is === 'checking' ? '' : headline}
        </p>
      </main>
    </GuestProvider>
  )
}

function headlineOf(status: GuestStatus, t: GuestTexts): string {
  switch (status.is) {
    case 'outside':
      return t.title
    case 'live':
      return t.live(status.nickname)
    default:
      return t[status.is]
  }
}

/** The light on its arc: low outside, travelling while time runs out, and in the middle for an invitation. */
function Countdown({ status }: { status: GuestStatus }) {
  const isCounting = status.is === 'waiting' || status.is === 'live'
  useNow(isCounting ? 250 : null)
  const leftMs = leftMsOf(status)
  const total = useRef({ status, ms: leftMs })
  if (total.current.status !== status) total.current = { status, ms: leftMs }
  if (isCounting) {
    const progress = Math.max(0, Math.min(1, 1 - leftMs / Math.max(1, total.current.ms)))
    return <StillHorizon sound="playing" progress={progress} />
  }
  return status.is === 'invited' ? (
    <StillHorizon sound="off" progress={0.5} />
  ) : (
    <StillHorizon sound="paused" progress={0.03} />
  )
}
