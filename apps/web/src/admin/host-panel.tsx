import type { Locale } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { formatDuration } from '../listener/format.ts'
import { LevelMeter } from '../live/level-meter.tsx'
import type { LiveConnection } from '../live/live-connection.ts'
import { MicButton } from '../live/mic-button.tsx'
import type { Microphone } from '../live/microphone.ts'
import { useOnAirGuard } from '../live/on-air-guard.ts'
import { guestTexts } from '../live/texts.ts'
import { isChatting } from '../radio/timeline.ts'
import { localizedText, pathOf } from '../ui/language.ts'
import { useRestoredFocus } from '../ui/restored-focus.ts'
import { useStore } from '../ui/store.ts'
import { useNow } from '../ui/use-now.ts'
import { Confirm } from './confirm.tsx'
import type { HostNotice, HostSession, HostState } from './host-session.ts'
import type { AdminTexts } from './texts.ts'

type Texts = AdminTexts['host']
const DEFAULT_CODE_HOURS = 8
const LONGEST_CODE_HOURS = 168
const [LOWEST_GAIN, HIGHEST_GAIN] = [2, 7]

interface Studio {
  host: HostSession
  desk: HostState
  line: LiveConnection
  microphone: Microphone
  locale: Locale
  t: Texts
}

/** Where a host leads the talk: the own microphone, the queue, guests, and what is heard under it all. */
export function HostPanel(props: Omit<Studio, 'desk'>) {
  const { host, t, locale } = props
  const desk = useStore(host.state)
  const isLive = desk.phase === 'live'
  const panel = useRef<HTMLDivElement>(null)
  useOnAirGuard(isLive)
  useRestoredFocus(panel)
  const studio: Studio = { ...props, desk }
  return (
    <div class="host" data-live={isLive} ref={panel}>
      <header class="host-head">
        <h1 tabIndex={-1}>{t.title}</h1>
        <p role="status">{isLive ? <em class="on-air">{t.onAir}</em> : t.off}</p>
        {isLive && <Leave {...studio} />}
      </header>
      <Notice notice={desk.notice} t={t} locale={locale} />
      <div class="parts">
        {isLive ? <Console {...studio} /> : <Door {...studio} />}
        {isLive && <Queue {...studio} />}
      </div>
      <div class="parts">
        {(isLive || desk.requests.length > 0) && <Requests {...studio} />}
        {isLive && <People {...studio} />}
        {isLive && <Filler {...studio} />}
        <Code {...studio} />
      </div>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="part" aria-label={title}>
      <h2 tabIndex={-1}>{title}</h2>
      {children}
    </section>
  )
}

function Notice({ notice, t, locale }: { notice: HostNotice | null; t: Texts; locale: Locale }) {
  const textOfNotice = () => {
    if (!notice) return null
    if (notice.is === 'said') return localizedText(notice.text, locale)
    if (notice.is === 'denied' || notice.is === 'unanswered') return t[notice.is]
    return notice.is === 'live-elsewhere' ? t.liveElsewhere : t.ended[notice.is]
  }
  return (
    <p class="refusal" role="alert">
      {textOfNotice()}
    </p>
  )
}

function Door({ host, desk, t }: Studio) {
  const takesOver = desk.notice?.is === 'live-elsewhere'
  return (
    <Part title={t.studio}>
      <p>{t.studioText}</p>
      <button
        type="button"
        class="button primary"
        disabled={desk.phase === 'going'}
        onClick={() =>
          void host.goLive(takesOver).then(() => document.querySelector<HTMLElement>('.mic')?.focus())
        }
      >
        {desk.phase === 'going' ? t.going : takesOver ? t.takeOver : t.goLive}
      </button>
    </Part>
  )
}

/** Guests go with the last host, so that is asked first. */
function Leave({ host, desk, t }: Studio) {
  const roles = desk.people.map(({ role }) => role)
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

function Console({ host, desk, line, microphone, locale, t }: Studio) {
  const state = useStore(microphone.state)
  const gainId = useId()
  const isMuted = desk.people.some(({ id, muted }) => muted && id === line.socketId)
  const level = (desk.gain - LOWEST_GAIN) / (HIGHEST_GAIN - LOWEST_GAIN)
  return (
    <Part title={t.microphone}>
      <p class="trouble" role="alert">
        {guestTexts[locale].microphone[state] || (isMuted && t.mutedByModerator)}
      </p>
      <MicButton isOn={desk.isMicOn} isMuted={isMuted} texts={t} onToggle={host.toggleMic} />
      <LevelMeter microphone={microphone} label={t.level} />
      <div class="gain">
        <label for={gainId}>{t.gain}</label>
        <input
          id={gainId}
          type="range"
          min={LOWEST_GAIN}
          max={HIGHEST_GAIN}
          step={0.5}
          value={desk.gain}
          style={{ '--level': level }}
          onInput={(event) => host.setGain(event.currentTarget.valueAsNumber)}
        />
        <output for={gainId}>×{desk.gain.toLocaleString(locale)}</output>
      </div>
    </Part>
  )
}

function Queue({ host, desk, line, t }: Studio) {
  const air = useStore(line.air)
  const isTalk = air !== null && isChatting(air)
  return (
    <Part title={t.queue}>
      <p role="status">{!desk.isQueuePaused ? t.running : isTalk ? t.paused : t.pausing}</p>
      <div class="row">
        {desk.isQueuePaused ? (
          <button type="button" class="button primary" onClick={host.resumeQueue}>
            {isTalk ? t.resume : t.cancelPause}
          </button>
        ) : (
          <>
            <button type="button" class="button" onClick={() => host.pauseQueue('now')}>
              {t.pauseNow}
            </button>
            <button type="button" class="button" onClick={() => host.pauseQueue('afterTrack')}>
              {t.pauseAfter}
            </button>
          </>
        )}
      </div>
    </Part>
  )
}

function People({ host, desk, line, t }: Studio) {
  return (
    <Part title={t.people}>
      <ul class="rows">
        {desk.people.map(({ id, login, role, muted }) => (
          <li key={id}>
            <span class="row-name">{login}</span>
            <span class="row-about">
              {id === line.socketId ? t.you : t.roles[role]}
              {muted && ` · ${t.muted}`}
            </span>
            {role !== 'host' && (
              <span class="row-actions">
                <button
                  type="button"
                  class="plain"
                  aria-label={`${muted ? t.unmute : t.mute}: ${login}`}
                  onClick={() => host.muteGuest(id, !muted)}
                >
                  {muted ? t.unmute : t.mute}
                </button>
                <Confirm
                  label={t.kick}
                  about={login}
                  sure={t.kickSure}
                  yes={t.kickYes}
                  no={t.no}
                  onYes={() => host.kickGuest(id)}
                />
              </span>
            )}
          </li>
        ))}
        {desk.pending.map(({ id, nickname }) => (
          <li key={id}>
            <span class="row-name">{nickname}</span>
            <span class="row-about">{t.pending}</span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Requests({ host, desk, line, t }: Studio) {
  const isAny = desk.requests.length > 0
  useNow(isAny ? 1000 : null)
  const newest = desk.requests.at(-1)
  return (
    <Part title={t.requests}>
      {!isAny && <p class="hint">{t.noRequests}</p>}
      <ul class="rows">
        {desk.requests.map(({ uid, nickname, addedAt }) => (
          <li key={uid}>
            <span class="row-name">{nickname}</span>
            <span class="row-about">
              {t.waits(formatDuration(Math.max(0, line.stationNowMs() - addedAt) / 1000))}
            </span>
            <span class="row-actions">
              <button
                type="button"
                class="button primary"
                aria-label={`${t.accept}: ${nickname}`}
                onClick={() => host.answerGuest(uid, 'accept')}
              >
                {t.accept}
              </button>
              <button
                type="button"
                class="plain"
                aria-label={`${t.reject}: ${nickname}`}
                onClick={() => host.answerGuest(uid, 'reject')}
              >
                {t.reject}
              </button>
            </span>
          </li>
        ))}
      </ul>
      <p class="unseen" aria-live="polite">
        {newest && t.asks(newest.nickname)}
      </p>
    </Part>
  )
}

function Filler({ host, desk, t }: Studio) {
  const { mode, chosenId, playing, choices, total } = desk.filler
  const name = useId()
  return (
    <Part title={t.background}>
      <p role="status">{playing && t.backgroundPlays(titleOfFile(playing))}</p>
      {total === 0 ? (
        <p class="hint">{t.backgroundEmpty}</p>
      ) : (
        mode === 'random' && <p class="hint">{t.backgroundRandom}</p>
      )}
      {mode === 'hostChoice' && total > 0 && (
        <ul class="rows">
          {[{ id: null, filename: t.backgroundNone }, ...choices].map(({ id, filename }) => (
            <li key={id}>
              <label>
                <input
                  type="radio"
                  name={name}
                  checked={chosenId === id}
                  onChange={() => host.chooseFiller(id)}
                />
                {titleOfFile(filename)}
              </label>
            </li>
          ))}
        </ul>
      )}
      {mode === 'hostChoice' && choices.length < total && (
        <button type="button" class="plain" onClick={host.moreFillers}>
          {t.more}
        </button>
      )}
    </Part>
  )
}

const titleOfFile = (filename: string) => filename.replace(/\.mp3$/i, '')

function Code({ host, desk, t, locale }: Studio) {
  const [hours, setHours] = useState(DEFAULT_CODE_HOURS)
  const [copied, setCopied] = useState<string | null>(null)
  const hoursId = useId()
  const { code } = desk
  if (code.code) {
    const shown = code.code
    const link = `${location.origin}${pathOf({ page: 'guest', locale })}#code=${encodeURIComponent(shown)}`
    const copy = (text: string) =>
      void navigator.clipboard?.writeText(text).then(
        () => setCopied(text),
        () => {},
      )
    return (
      <Part title={t.code}>
        <p class="code">
          <code>{shown}</code> <span class="hint">{t.codeUntil(timeOf(code.expiresAt, locale))}</span>
        </p>
        <div class="row">
          <button type="button" class="button" onClick={() => copy(link)}>
            {copied === link ? t.copied : t.copyLink}
          </button>
          <button type="button" class="plain" onClick={() => copy(shown)}>
            {copied === shown ? t.copied : t.copyCode}
          </button>
          <Confirm label={t.endCode} sure={t.endCodeSure} yes={t.endCodeYes} no={t.no} onYes={host.endCode} />
        </div>
      </Part>
    )
  }
  return (
    <Part title={t.code}>
      <p class="hint">{t.noCode}</p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          void host.makeCode(hours)
        }}
      >
        <label for={hoursId}>{t.codeHours}</label>
        <input
          id={hoursId}
          type="number"
          min={1}
          max={LONGEST_CODE_HOURS}
          value={hours}
          onInput={(event) => setHours(event.currentTarget.valueAsNumber || DEFAULT_CODE_HOURS)}
        />
        <button type="submit" class="button">
          {t.makeCode}
        </button>
      </form>
    </Part>
  )
}

const timeOf = (epochMs: number, locale: Locale) =>
  new Date(epochMs).toLocaleString(locale === 'en' ? 'en-GB' : locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
