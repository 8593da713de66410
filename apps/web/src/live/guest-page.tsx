import './live.css'
import type { Participant } from '@solstice/contracts'
import { useEffect, useId, useState } from 'preact/hooks'
import { pathOf, textOf } from '../language.ts'
import { Languages } from '../languages.tsx'
import { Arc, Light } from '../listener/horizon.tsx'
import { clock, stationName } from '../listener/words.ts'
import { keep, recall } from '../memory.ts'
import type { PageProps } from '../page.ts'
import { useStore } from '../store.ts'
import { texts } from '../texts.ts'
import { applyTheme } from '../theme.ts'
import { createGuestSeat, type GuestNotice, type GuestSeat, type Seat } from './guest-seat.ts'
import { LevelMeter } from './level-meter.tsx'
import { openLine } from './line.ts'
import { createMicrophone, type Microphone } from './microphone.ts'
import { type GuestTexts, guestTexts } from './texts.ts'
import { useNow } from './use-now.ts'

const NICKNAME = 'radio_nickname'
const LONGEST_NICKNAME = 32
const LONGEST_CODE = 40

/** Where a listener asks to speak, waits for the hosts, and speaks. */
export function GuestPage({ locale, onLocale, goTo }: PageProps) {
  const [line] = useState(openLine)
  const [microphone] = useState(createMicrophone)
  const [guest] = useState(() => createGuestSeat(line, microphone))
  const seat = useStore(guest.seat)
  const air = useStore(line.air)
  const hostsMode = useStore(line.hostsMode)
  const t = guestTexts[locale]
  const name = stationName(air, locale, texts[locale])
  const home = pathOf({ page: 'player', locale })

  useEffect(() => {
    if (hostsMode === false) goTo('player')
  }, [hostsMode])
  useEffect(() => {
    if (air) applyTheme(air.mode)
  }, [air?.mode])
  useEffect(() => {
    document.title = `${t.title} · ${name}`
  }, [t, name])

  return (
    <main class="stage guest" data-seat={seat.is}>
      <header class="header">
        <a class="name" href={home}>
          {name}
        </a>
        <div class="header-right">
          <a class="header-link" href={home}>
            {t.home}
          </a>
          <Languages page="guest" locale={locale} label={t.language} onLocale={onLocale} />
        </div>
      </header>
      <div class="sky" />
      <div class="rim">
        <Patience seat={seat} stationNowMs={line.stationNowMs} />
      </div>
      <section class="song guest-room">
        <Room {...{ guest, microphone, seat, t, locale }} isHostOnline={line.isHostOnline} line={line} />
      </section>
    </main>
  )
}

type RoomProps = {
  guest: GuestSeat
  microphone: Microphone
  seat: Seat
  t: GuestTexts
  locale: PageProps['locale']
  line: ReturnType<typeof openLine>
  isHostOnline: ReturnType<typeof openLine>['isHostOnline']
}

function Room({ guest, microphone, seat, t, locale, line, isHostOnline }: RoomProps) {
  switch (seat.is) {
    case 'checking':
      return (
        <h1 class="title" data-size="m">
          {t.checking}
        </h1>
      )
    case 'banned':
      return (
        <h1 class="title" data-size="m">
          {t.banned}
        </h1>
      )
    case 'outside':
      return <Outside {...{ guest, microphone, seat, t, locale, isHostOnline }} />
    case 'waiting':
      return <Waiting {...{ guest, seat, t }} />
    case 'invited':
      return <Invited {...{ guest, microphone, seat, t, locale }} />
    case 'live':
      return <OnTheAir {...{ guest, microphone, seat, t, line }} />
  }
}

/** The light travels on its arc with the time that is left: of the wait, or on the air. */
function Patience({ seat, stationNowMs }: { seat: Seat; stationNowMs: () => number }) {
  const nowMs = useNow(seat.is === 'waiting' || seat.is === 'live' ? 250 : null)
  const [whole, setWhole] = useState(1)
  const leftMs =
    seat.is === 'waiting' ? seat.untilMs - nowMs : seat.is === 'live' ? seat.expiresAtMs - stationNowMs() : 0
  useEffect(() => setWhole(Math.max(1, leftMs)), [seat])
  const isCounting = seat.is === 'waiting' || seat.is === 'live'
  const progress = isCounting ? Math.max(0, Math.min(1, 1 - leftMs / whole)) : 0.5
  return (
    <div class="horizon" data-sound={isCounting ? 'playing' : 'off'} style={{ '--p': progress.toFixed(4) }}>
      <Arc />
      <Light />
    </div>
  )
}

function Outside(props: {
  guest: GuestSeat
  microphone: Microphone
  seat: Extract<Seat, { is: 'outside' }>
  t: GuestTexts
  locale: PageProps['locale']
  isHostOnline: RoomProps['isHostOnline']
}) {
  const { guest, microphone, seat, t, locale } = props
  const isHostOnline = useStore(props.isHostOnline)
  const [nickname, setNickname] = useState(recall(NICKNAME) ?? '')
  const [code, setCode] = useState('')
  const [hasCode, setHasCode] = useState(false)
  const [nicknameId, codeId] = [useId(), useId()]
  const wait = useWait(seat.notice)
  const state = useStore(microphone.state)
  const submit = async (event: Event) => {
    event.preventDefault()
    keep(NICKNAME, nickname.trim())
    // Asked for now, so that nobody has to answer the browser while the hosts wait.
    if (!(await microphone.open())) return
    if (hasCode) await guest.enter(code.trim(), nickname)
    else await guest.request(nickname)
  }
  return (
    <>
      <h1 class="title" data-size="m">
        {t.title}
      </h1>
      <p class="byline">{t.intro}</p>
      <Says notice={seat.notice} t={t} locale={locale} />
      {!isHostOnline && (
        <p class="guest-hint" role="status">
          {t.nobody}
        </p>
      )}
      {t.microphone[state] && (
        <p class="guest-hint" role="alert">
          {t.microphone[state]}
        </p>
      )}
      <form class="guest-form" onSubmit={submit}>
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
              spellcheck={false}
              required
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          </>
        )}
        <button
          type="submit"
          class="button"
          disabled={seat.isBusy || state === 'unsupported' || (!hasCode && wait > 0)}
        >
          {hasCode ? t.enter : t.ask}
        </button>
        <button type="button" class="guest-switch" onClick={() => setHasCode(!hasCode)}>
          {hasCode ? t.noCode : t.haveCode}
        </button>
      </form>
    </>
  )
}

function Waiting({
  guest,
  seat,
  t,
}: {
  guest: GuestSeat
  seat: Extract<Seat, { is: 'waiting' }>
  t: GuestTexts
}) {
  const nowMs = useNow(500)
  const secondsLeft = Math.max(0, Math.ceil((seat.untilMs - nowMs) / 1000))
  return (
    <>
      <h1 class="title" data-size="m">
        {t.waiting}
      </h1>
      <p class="byline" role="timer">
        {t.waitingLeft(secondsLeft)}
      </p>
      <button type="button" class="guest-switch" onClick={() => guest.leave()}>
        {t.stopWaiting}
      </button>
    </>
  )
}

function Invited(props: {
  guest: GuestSeat
  microphone: Microphone
  seat: Extract<Seat, { is: 'invited' }>
  t: GuestTexts
  locale: PageProps['locale']
}) {
  const { guest, microphone, seat, t, locale } = props
  const state = useStore(microphone.state)
  return (
    <>
      <h1 class="title" data-size="m">
        {t.invited}
      </h1>
      <p class="byline">{t.quiet}</p>
      <Says notice={seat.notice} t={t} locale={locale} />
      {t.microphone[state] && (
        <p class="guest-hint" role="alert">
          {t.microphone[state]}
        </p>
      )}
      <button type="button" class="button" disabled={seat.isBusy} onClick={() => guest.connect()}>
        {seat.isBusy ? t.connecting : t.connect}
      </button>
      <button type="button" class="guest-switch" onClick={() => guest.leave()}>
        {t.stopWaiting}
      </button>
    </>
  )
}

function OnTheAir(props: {
  guest: GuestSeat
  microphone: Microphone
  seat: Extract<Seat, { is: 'live' }>
  t: GuestTexts
  line: RoomProps['line']
}) {
  const { guest, microphone, seat, t, line } = props
  const isMicOn = useStore(guest.isMicOn)
  const people = useStore(guest.people)
  const isMuted = people.some(({ id, muted }) => muted && id === line.socketId)
  useNow(500)
  const leftS = Math.max(0, (seat.expiresAtMs - line.stationNowMs()) / 1000)
  return (
    <>
      <h1 class="title" data-size="m">
        {t.live(seat.nickname)}
      </h1>
      <p class="byline" role="timer">
        {t.timeLeft} {clock(leftS)}
      </p>
      {isMuted && (
        <p class="guest-hint" role="alert">
          {t.mutedByHost}
        </p>
      )}
      <button
        type="button"
        class="mic"
        aria-pressed={isMicOn}
        data-muted={isMuted}
        onClick={() => guest.toggleMic()}
      >
        {isMicOn ? t.micOff : t.micOn}
      </button>
      <LevelMeter microphone={microphone} label={t.level} />
      <People people={people} ownId={line.socketId} t={t} />
      <button type="button" class="guest-switch" onClick={() => guest.leave()}>
        {t.leave}
      </button>
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

function Says({
  notice,
  t,
  locale,
}: {
  notice: GuestNotice | null
  t: GuestTexts
  locale: PageProps['locale']
}) {
  const wait = useWait(notice)
  if (!notice) return null
  const text =
    notice.is === 'said'
      ? textOf(notice.text, locale)
      : notice.is === 'cooldown'
        ? wait > 0 && t.notices.cooldown(wait)
        : t.notices[notice.is]
  return (
    text && (
      <p class="guest-notice" role="alert">
        {text}
      </p>
    )
  )
}

/** Whole seconds until one may ask again. */
function useWait(notice: GuestNotice | null): number {
  const isWaiting = notice?.is === 'cooldown'
  const nowMs = useNow(isWaiting ? 500 : null)
  return isWaiting ? Math.max(0, Math.ceil((notice.untilMs - nowMs) / 1000)) : 0
}
