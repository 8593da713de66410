import type { Participant } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { formatDuration } from '../../listener/format.ts'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { ClipWarning } from '../clip-warning.tsx'
import { LevelMeter } from '../level-meter.tsx'
import { MicButton } from '../mic-button.tsx'
import { SpeakingMark } from '../speakers/speaking-mark.tsx'
import { useGuest } from './guest-context.ts'
import type { GuestStatus } from './guest-session.ts'
import { MicrophoneTrouble, NoticeText } from './notices.tsx'
import './people.css'
import { RequestForm } from './request-form.tsx'
import { leftMsOf } from './time-left.ts'

/** Longer names are set smaller. */
const LONG_NAME = 12
const LAST_MINUTE_S = 60

interface Props<Is extends GuestStatus['is']> {
  status: Extract<GuestStatus, { is: Is }>
  title: ComponentChildren
}

/** The view for each status of a guest. */
export function GuestView({ status, headline }: { status: GuestStatus; headline: string }) {
  const { t } = useGuest()
  const isLong = status.is === 'live' && status.nickname.length > LONG_NAME
  const title = (
    <h1 class="title" data-size={isLong ? 's' : 'm'} tabIndex={-1}>
      {headline}
    </h1>
  )
  switch (status.is) {
    case 'checking':
      return title
    case 'banned':
      return (
        <>
          {title}
          <p class="byline">{t.bannedHint}</p>
        </>
      )
    case 'outside':
      return <RequestForm status={status} title={title} />
    case 'waiting':
      return <Waiting status={status} title={title} />
    case 'invited':
      return <Invited status={status} title={title} />
    case 'live':
      return <OnAir status={status} title={title} />
  }
}

function Waiting({ status, title }: Props<'waiting'>) {
  const { guest, t } = useGuest()
  useNow(500)
  return (
    <>
      {title}
      <p class="byline" role="timer">
        {t.waitingLeft(Math.ceil(leftMsOf(status) / 1000))}
      </p>
      <button type="button" class="text-button" onClick={() => guest.leave()}>
        {t.stopWaiting}
      </button>
    </>
  )
}

function Invited({ status, title }: Props<'invited'>) {
  const { guest, t } = useGuest()
  useNow(500)
  return (
    <>
      {title}
      <p class="byline" role="timer">
        {t.invitedFor(formatDuration(Math.ceil(leftMsOf(status) / 1000)))}
      </p>
      <p class="hint">{t.quiet}</p>
      <NoticeText notice={status.notice} />
      <MicrophoneTrouble />
      <button type="button" class="text-button" onClick={() => guest.leave()}>
        {t.stopWaiting}
      </button>
    </>
  )
}

function OnAir({ status, title }: Props<'live'>) {
  const { connection, guest, microphone, t } = useGuest()
  const isMicOn = useStore(guest.isMicOn)
  const people = useStore(guest.people)
  const ownId = connection.id()
  const isMuted = people.some(({ id, muted }) => muted && id === ownId)
  useNow(500)
  const leftS = leftMsOf(status) / 1000
  return (
    <>
      <p class="kicker" role="status">
        {isMuted ? t.mutedByHost : isMicOn ? <em class="on-air">{t.heard}</em> : t.notHeard}
      </p>
      {title}
      <p class="byline">
        <span role="timer">
          {t.timeLeft} <b>{formatDuration(leftS)}</b>
        </span>
      </p>
      <MicButton isOn={isMicOn} isMuted={isMuted} texts={t} onToggle={() => guest.toggleMic()} />
      <LevelMeter microphone={microphone} label={t.level} />
      <ClipWarning microphone={microphone} text={t.clips} />
      <MicrophoneTrouble />
      <People people={people} ownId={ownId} />
      <button type="button" class="text-button" onClick={() => guest.leave()}>
        {t.leave}
      </button>
      <p class="unseen" aria-live="polite">
        {leftS <= LAST_MINUTE_S ? t.lastMinute : ''}
      </p>
    </>
  )
}

/** Everybody on air, and who speaks. */
function People({ people, ownId }: { people: Participant[]; ownId: string | undefined }) {
  const { guest, t } = useGuest()
  return (
    <section class="people" aria-label={t.people}>
      <h2>{t.people}</h2>
      <ul>
        {people.map(({ id, login, role, muted }) => (
          <li key={id}>
            <span>
              <SpeakingMark speakers={guest.speakers} id={id} text={t.speaks} />
              {login}
            </span>
            <span class="people-role">
              {id === ownId ? t.you : t.roles[role]}
              {muted && ` · ${t.muted}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
