import './live.css'
import type { Participant } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { formatDuration, stationName } from '../listener/format.ts'
import { Arc, Light, Stars } from '../listener/horizon.tsx'
import { texts } from '../texts.ts'
import { readStored, writeStored } from '../ui/browser-storage.ts'
import { localizedText, pathOf } from '../ui/language.ts'
import { Languages } from '../ui/languages.tsx'
import type { PageProps } from '../ui/page-props.ts'
import { useRestoredFocus } from '../ui/restored-focus.ts'
import { useStore } from '../ui/store.ts'
import { applyTheme } from '../ui/theme.ts'
import { useNow } from '../ui/use-now.ts'
import { createGuestSession, type GuestNotice, type GuestSession, type GuestStatus } from './guest-session.ts'
import { LevelMeter } from './level-meter.tsx'
import { type LiveConnection, openLiveConnection } from './live-connection.ts'
import { MicButton } from './mic-button.tsx'
import { createMicrophone, type Microphone } from './microphone.ts'
import { useOnAirGuard } from './on-air-guard.ts'
import { type GuestTexts, guestTexts } from './texts.ts'

const NICKNAME = 'radio_nickname'
const LONGEST_NICKNAME = 32
const LONGEST_CODE = 40
/** Names longer than this are set smaller. */
const LONG_NAME = 12
const LAST_MINUTE_S = 60

interface Guesthouse {
  line: LiveConnection
  microphone: Microphone
  guest: GuestSession
  locale: PageProps['locale']
  t: GuestTexts
}

/** Where a listener asks to speak, waits for the hosts, and speaks. */
export function GuestPage({ locale, onLocale, goTo }: PageProps) {
  const [line] = useState(openLiveConnection)
  const [microphone] = useState(createMicrophone)
  const [guest] = useState(() => createGuestSession(line, microphone))
  const seat = useStore(guest.status)
  const air = useStore(line.air)
  const link = useStore(line.isConnected) ? 'online' : air ? 'offline' : 'connecting'
  const hostsMode = useStore(line.hostsMode)
  const t = guestTexts[locale]
  const name = stationName(air, locale, texts[locale])
  const home = pathOf({ page: 'player', locale })
  const headline = headlineOf(seat, t)
  const room = useRef<HTMLElement>(null)

  useEffect(() => {
    if (hostsMode === false) goTo('player')
  }, [hostsMode])
  useEffect(() => {
    if (air) applyTheme(air.mode)
  }, [air?.mode])
  useEffect(() => {
    document.title = `${headline} · ${name}`
  }, [headline, name])
  useOnAirGuard(seat.is === 'live')
  useRestoredFocus(room)

  return (
    <>
      <header class="header">
        <a class="name" href={home}>
          {name}
        </a>
        <p class="link" data-link={link}>
          <span class="link-light" aria-hidden="true" />
          <span class="link-text" role="status">
            {texts[locale].link[link]}
          </span>
        </p>
        <div class="header-right">
          <a class="header-link" href={home}>
            {t.home}
          </a>
          <Languages page="guest" locale={locale} label={t.language} onLocale={onLocale} />
        </div>
      </header>
      <main class="stage guest" data-seat={seat.is} ref={room}>
        <div class="sky">
          <Stars />
        </div>
        <div class="rim">
          <Patience seat={seat} />
          {seat.is === 'invited' && (
            <button type="button" class="listen" disabled={seat.isBusy} onClick={() => guest.connect()}>
              {seat.isBusy ? t.connecting : t.connect}
            </button>
          )}
        </div>
        <div class="song room">
          <Room {...{ line, microphone, guest, locale, t, seat, headline }} />
        </div>
        <p class="unseen" aria-live="polite">
          {seat.is === 'checking' ? '' : headline}
        </p>
      </main>
    </>
  )
}

function headlineOf(seat: GuestStatus, t: GuestTexts): string {
  switch (seat.is) {
    case 'outside':
      return t.title
    case 'live':
      return t.live(seat.nickname)
    default:
      return t[seat.is]
  }
}

function Room(props: Guesthouse & { seat: GuestStatus; headline: string }) {
  const { seat, headline, ...house } = props
  const title = (
    <h1
      class="title"
      data-size={seat.is === 'live' && seat.nickname.length > LONG_NAME ? 's' : 'm'}
      tabIndex={-1}
    >
      {headline}
    </h1>
  )
  switch (seat.is) {
    case 'checking':
      return title
    case 'banned':
      return (
        <>
          {title}
          <p class="byline">{house.t.bannedHint}</p>
        </>
      )
    case 'outside':
      return <Outside {...house} seat={seat} title={title} />
    case 'waiting':
      return <Waiting {...house} seat={seat} title={title} />
    case 'invited':
      return <Invited {...house} seat={seat} title={title} />
    case 'live':
      return <OnTheAir {...house} seat={seat} title={title} />
  }
}

type InSeat<Is extends GuestStatus['is']> = Guesthouse & {
  seat: Extract<GuestStatus, { is: Is }>
  title: ComponentChildren
}

/** The light on its arc: low outside, on its way while one waits or speaks, and the way in when one is invited. */
function Patience({ seat }: { seat: GuestStatus }) {
  const isCounting = seat.is === 'waiting' || seat.is === 'live'
  useNow(isCounting ? 250 : null)
  const leftMs = leftOf(seat) ?? 0
  const whole = useRef({ seat, ms: leftMs })
  if (whole.current.seat !== seat) whole.current = { seat, ms: leftMs }
  const progress = isCounting
    ? Math.max(0, Math.min(1, 1 - leftMs / Math.max(1, whole.current.ms)))
    : seat.is === 'invited'
      ? 0.5
      : 0.03
  const sound = isCounting ? 'playing' : seat.is === 'invited' ? 'off' : 'paused'
  return (
    <div class="horizon" data-sound={sound} style={{ '--p': progress.toFixed(4) }}>
      <Arc />
      <Light />
    </div>
  )
}

/** Ms until the wait, the invitation, or the time on the air is over. */
function leftOf(seat: GuestStatus): number | null {
  return 'untilMs' in seat ? Math.max(0, seat.untilMs - Date.now()) : null
}

function Outside({ line, guest, microphone, seat, title, locale, t }: InSeat<'outside'>) {
  const isHostOnline = useStore(line.isHostOnline)
  const state = useStore(microphone.state)
  const [nickname, setNickname] = useState(readStored(NICKNAME) ?? '')
  const [code, setCode] = useState(codeInAddress)
  const [hasCode, setHasCode] = useState(code !== '')
  const [nicknameId, codeId] = [useId(), useId()]
  const wait = useWait(seat.notice)
  const isTooEarly = !hasCode && wait > 0
  const isClosed = seat.isBusy || state === 'unsupported' || isTooEarly

  useEffect(() => {
    if (seat.notice?.is === 'special_guest_active') setHasCode(true)
  }, [seat.notice])

  const submit = async (event: Event) => {
    event.preventDefault()
    if (isClosed) return
    writeStored(NICKNAME, nickname.trim())
    // Asked for now, so that nobody has to answer the browser while the hosts wait.
    if (!(await microphone.open())) return
    if (hasCode) await guest.enter(code.trim(), nickname)
    else await guest.request(nickname)
  }
  return (
    <>
      {isHostOnline && (
        <p class="kicker">
          <em class="on-air">{t.hostsOnline}</em>
        </p>
      )}
      {title}
      <p class="byline">{isHostOnline ? t.intro : t.nobody}</p>
      <Says notice={seat.notice} t={t} locale={locale} />
      <MicrophoneTrouble microphone={microphone} t={t} />
      <form class="form" onSubmit={submit}>
        <label for={nicknameId}>{t.nickname}</label>
        <input
          id={nicknameId}
          value={nickname}
          maxLength={LONGEST_NICKNAME}
          autocomplete="nickname"
          required
          onInput={(event) => setNickname(event.currentTarget.value)}
        />
        {hasCode && (
          <>
            <label for={codeId}>{t.code}</label>
            <input
              id={codeId}
              value={code}
              maxLength={LONGEST_CODE}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              required
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          </>
        )}
        <button type="submit" class="button primary" aria-disabled={isClosed}>
          {hasCode ? t.enter : isTooEarly ? t.askIn(formatDuration(wait)) : t.ask}
        </button>
        <button type="button" class="text-button" onClick={() => setHasCode(!hasCode)}>
          {hasCode ? t.noCode : t.haveCode}
        </button>
      </form>
    </>
  )
}

/** A link with an invitation ends with `#code=…`: what stands there is sent to nobody before the guest presses. */
const codeInAddress = () =>
  new URLSearchParams(location.hash.slice(1)).get('code')?.slice(0, LONGEST_CODE) ?? ''

function Waiting({ guest, seat, title, t }: InSeat<'waiting'>) {
  useNow(500)
  return (
    <>
      {title}
      <p class="byline" role="timer">
        {t.waitingLeft(Math.ceil((leftOf(seat) ?? 0) / 1000))}
      </p>
      <button type="button" class="text-button" onClick={() => guest.leave()}>
        {t.stopWaiting}
      </button>
    </>
  )
}

function Invited({ guest, microphone, seat, title, locale, t }: InSeat<'invited'>) {
  useNow(500)
  return (
    <>
      {title}
      <p class="byline" role="timer">
        {t.invitedFor(formatDuration(Math.ceil((leftOf(seat) ?? 0) / 1000)))}
      </p>
      <p class="hint">{t.quiet}</p>
      <Says notice={seat.notice} t={t} locale={locale} />
      <MicrophoneTrouble microphone={microphone} t={t} />
      <button type="button" class="text-button" onClick={() => guest.leave()}>
        {t.stopWaiting}
      </button>
    </>
  )
}

function OnTheAir({ line, guest, microphone, seat, title, t }: InSeat<'live'>) {
  const isMicOn = useStore(guest.isMicOn)
  const people = useStore(guest.people)
  const isMuted = people.some(({ id, muted }) => muted && id === line.socketId)
  useNow(500)
  const leftS = (leftOf(seat) ?? 0) / 1000
  const isLastMinute = leftS <= LAST_MINUTE_S
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
      <MicrophoneTrouble microphone={microphone} t={t} />
      <People people={people} ownId={line.socketId} t={t} />
      <button type="button" class="text-button" onClick={() => guest.leave()}>
        {t.leave}
      </button>
      <p class="unseen" aria-live="polite">
        {isLastMinute ? t.lastMinute : ''}
      </p>
    </>
  )
}

/** Who is on the air. */
function People({ people, ownId, t }: { people: Participant[]; ownId: string | undefined; t: GuestTexts }) {
  return (
    <section class="people" aria-label={t.people}>
      <h2>{t.people}</h2>
      <ul>
        {people.map(({ id, login, role, muted }) => (
          <li key={id}>
            <span>{login}</span>
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

function MicrophoneTrouble({ microphone, t }: { microphone: Microphone; t: GuestTexts }) {
  const trouble = t.microphone[useStore(microphone.state)]
  return (
    <p class="trouble" role="alert">
      {trouble}
    </p>
  )
}

function Says({
  notice,
  t,
  locale,
}: {
  notice: GuestNotice | null
  t: GuestTexts
  locale: Guesthouse['locale']
}) {
  const text = notice && (notice.is === 'said' ? localizedText(notice.text, locale) : t.notices[notice.is])
  return (
    <p class="says" role="alert">
      {text}
    </p>
  )
}

/** Whole seconds until one may ask again. */
function useWait(notice: GuestNotice | null): number {
  const isWaiting = notice?.is === 'cooldown'
  const nowMs = useNow(isWaiting ? 500 : null)
  return isWaiting ? Math.max(0, Math.ceil((notice.untilMs - nowMs) / 1000)) : 0
}
