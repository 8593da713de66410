import '../../live/form.css'
import './host-panel.css'
import { useRef } from 'preact/hooks'
import { formatDuration } from '../../listener/format.ts'
import { useRestoredFocus } from '../../ui/sheet/restored-focus.ts'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { Confirm } from '../confirm.tsx'
import { BackgroundPanel } from './background-panel.tsx'
import { GuestCodePanel } from './guest-code-panel.tsx'
import { MicrophonePanel } from './microphone-panel.tsx'
import { Notice, PanelSection } from './panel-section.tsx'
import { PeoplePanel } from './people-panel.tsx'
import { QueuePanel } from './queue-panel.tsx'
import { RequestsPanel } from './requests-panel.tsx'
import { type Studio, StudioProvider, useStudio } from './studio-context.ts'

/** The studio of a host: microphone, queue, guests and background music. */
export function HostPanel(studio: Studio) {
  const { host, t } = studio
  const { phase, requests } = useStore(host.state)
  const isLive = phase === 'live'
  const panel = useRef<HTMLDivElement>(null)
  useRestoredFocus(panel)
  return (
    <StudioProvider value={studio}>
      <div class="host" data-live={isLive} ref={panel}>
        <header class="host-head">
          <h1 tabIndex={-1}>{t.title}</h1>
          <p role="status">{isLive ? <em class="on-air">{t.onAir}</em> : t.off}</p>
          {isLive && <TimeOnAir />}
          {isLive && <Leave />}
        </header>
        <Notice />
        <div class="parts">
          {isLive ? <MicrophonePanel /> : <GoLivePanel />}
          {isLive && <QueuePanel />}
        </div>
        <div class="parts">
          {(isLive || requests.length > 0) && <RequestsPanel />}
          {isLive && <PeoplePanel />}
          {isLive && <BackgroundPanel />}
          <GuestCodePanel />
        </div>
      </div>
    </StudioProvider>
  )
}

function GoLivePanel() {
  const { host, state, t } = useStudio()
  const takesOver = state.notice?.is === 'live-elsewhere'
  const goLive = async () => {
    await host.goLive(takesOver)
    document.querySelector<HTMLElement>('.mic')?.focus()
  }
  return (
    <PanelSection title={t.studio}>
      <p>{t.studioText}</p>
      <button type="button" class="button primary" disabled={state.phase === 'going'} onClick={goLive}>
        {state.phase === 'going' ? t.going : takesOver ? t.takeOver : t.goLive}
      </button>
    </PanelSection>
  )
}

function TimeOnAir() {
  const { state, t } = useStudio()
  const nowMs = useNow(1_000)
  return (
    <p class="host-time" title={t.timeOnAir}>
      <span class="unseen">{t.timeOnAir}</span>{' '}
      {formatDuration(Math.max(0, nowMs - state.liveSinceMs) / 1_000)}
    </p>
  )
}

/** Asks for confirmation when guests would go off air with the last host. */
function Leave() {
  const { host, state, t } = useStudio()
  const roles = state.people.map(({ role }) => role)
  const takesGuests =
    roles.filter((role) => role === 'host').length < 2 && roles.some((role) => role !== 'host')
  if (takesGuests)
    return <Confirm label={t.leave} sure={t.leaveSure} yes={t.leaveYes} no={t.no} onYes={host.leave} />
  return (
    <button type="button" class="plain" onClick={host.leave}>
      {t.leave}
    </button>
  )
}
