import type { Locale } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { textOf } from '../language.ts'
import { LevelMeter } from '../live/level-meter.tsx'
import type { Line } from '../live/line.ts'
import { createMicrophone, type Microphone } from '../live/microphone.ts'
import { guestTexts } from '../live/texts.ts'
import { useStore } from '../store.ts'
import { createHostDesk, type Desk, type HostDesk, type HostNotice } from './host-desk.ts'
import type { AdminTexts } from './texts.ts'

type Texts = AdminTexts['host']
const DEFAULT_CODE_HOURS = 8
const LONGEST_CODE_HOURS = 168

/** Where a host leads the talk: the own microphone, the queue, guests, and what is heard under it all. */
export function HostPanel({ line, locale, t }: { line: Line; locale: Locale; t: Texts }) {
  const [microphone] = useState(createMicrophone)
  const [host] = useState(() => createHostDesk(line, microphone))
  const desk = useStore(host.desk)
  const isLive = desk.phase === 'live'
  return (
    <div class="host" data-live={isLive}>
      <h1>{t.title}</h1>
      <Notice notice={desk.notice} t={t} locale={locale} />
      {isLive ? (
        <>
          <OwnMicrophone {...{ host, desk, microphone, t, locale }} />
          <Queue {...{ host, desk, t }} />
          <People {...{ host, desk, line, t }} />
          <Requests {...{ host, desk, t }} />
          <Filler {...{ host, desk, t }} />
        </>
      ) : (
        <Part title={t.off}>
          <button type="button" class="button" disabled={desk.phase === 'going'} onClick={host.goLive}>
            {desk.phase === 'going' ? t.going : t.goLive}
          </button>
        </Part>
      )}
      <Code {...{ host, desk, t, locale }} />
    </div>
  )
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="part" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function Notice({ notice, t, locale }: { notice: HostNotice | null; t: Texts; locale: Locale }) {
  if (!notice) return null
  const text =
    notice.is === 'said'
      ? textOf(notice.text, locale)
      : notice.is === 'denied' || notice.is === 'unanswered'
        ? t[notice.is]
        : t.ended[notice.is]
  return (
    <p class="refusal" role="alert">
      {text}
    </p>
  )
}

function OwnMicrophone(props: {
  host: HostDesk
  desk: Desk
  microphone: Microphone
  t: Texts
  locale: Locale
}) {
  const { host, desk, microphone, t, locale } = props
  const state = useStore(microphone.state)
  const gainId = useId()
  const trouble = guestTexts[locale].microphone[state]
  return (
    <Part title={t.onAir}>
      <p class="on-air">{t.onAir}</p>
      {trouble && (
        <p class="hint" role="alert">
          {trouble}
        </p>
      )}
      <button type="button" class="mic" aria-pressed={desk.isMicOn} onClick={host.toggleMic}>
        {desk.isMicOn ? t.micOff : t.micOn}
      </button>
      <LevelMeter microphone={microphone} label={t.level} />
      <label for={gainId}>{t.gain}</label>
      <input
        id={gainId}
        type="range"
        min={2}
        max={7}
        step={0.5}
        value={desk.gain}
        onInput={(event) => host.setGain(event.currentTarget.valueAsNumber)}
      />
      <button type="button" class="plain" onClick={host.leave}>
        {t.leave}
      </button>
    </Part>
  )
}

function Queue({ host, desk, t }: { host: HostDesk; desk: Desk; t: Texts }) {
  return (
    <Part title={t.queue}>
      <p role="status">{desk.isQueuePaused ? t.paused : t.running}</p>
      {desk.isQueuePaused ? (
        <button type="button" class="button" onClick={host.resumeQueue}>
          {t.resume}
        </button>
      ) : (
        <div class="row">
          <button type="button" class="button" onClick={() => host.pauseQueue('now')}>
            {t.pauseNow}
          </button>
          <button type="button" class="button" onClick={() => host.pauseQueue('afterTrack')}>
            {t.pauseAfter}
          </button>
        </div>
      )}
    </Part>
  )
}

function People({ host, desk, line, t }: { host: HostDesk; desk: Desk; line: Line; t: Texts }) {
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
                <button type="button" class="plain" onClick={() => host.muteGuest(id, !muted)}>
                  {muted ? t.unmute : t.mute}
                </button>
                <button
                  type="button"
                  class="plain"
                  onClick={() => confirm(t.kickSure(login)) && host.kickGuest(id)}
                >
                  {t.kick}
                </button>
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

function Requests({ host, desk, t }: { host: HostDesk; desk: Desk; t: Texts }) {
  return (
    <Part title={t.requests}>
      {desk.requests.length === 0 && <p class="hint">{t.noRequests}</p>}
      <ul class="rows" aria-live="polite">
        {desk.requests.map(({ uid, nickname }) => (
          <li key={uid}>
            <span class="row-name">{nickname}</span>
            <span class="row-actions">
              <button type="button" class="button" onClick={() => host.answerGuest(uid, 'accept')}>
                {t.accept}
              </button>
              <button type="button" class="plain" onClick={() => host.answerGuest(uid, 'reject')}>
                {t.reject}
              </button>
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Filler({ host, desk, t }: { host: HostDesk; desk: Desk; t: Texts }) {
  const { mode, chosenId, playing, choices, total } = desk.filler
  const name = useId()
  return (
    <Part title={t.filler}>
      {playing && <p role="status">{t.fillerPlays(playing)}</p>}
      {mode === 'random' && <p class="hint">{t.fillerRandom}</p>}
      {total === 0 && <p class="hint">{t.fillerEmpty}</p>}
      {mode === 'hostChoice' && total > 0 && (
        <ul class="rows">
          {[{ id: null, filename: t.fillerNone }, ...choices].map(({ id, filename }) => (
            <li key={id}>
              <label>
                <input
                  type="radio"
                  name={name}
                  checked={chosenId === id}
                  onChange={() => host.chooseFiller(id)}
                />
                {filename}
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

function Code({ host, desk, t, locale }: { host: HostDesk; desk: Desk; t: Texts; locale: Locale }) {
  const [hours, setHours] = useState(DEFAULT_CODE_HOURS)
  const [isCopied, setCopied] = useState(false)
  const hoursId = useId()
  const { code } = desk
  const copy = () => {
    if (code.code)
      navigator.clipboard?.writeText(code.code).then(
        () => setCopied(true),
        () => {},
      )
  }
  return (
    <Part title={t.code}>
      {code.code ? (
        <p class="code">
          <code>{code.code}</code> <span class="hint">{t.codeUntil(timeOf(code.expiresAt, locale))}</span>
        </p>
      ) : (
        <p class="hint">{t.noCode}</p>
      )}
      <div class="row">
        <label for={hoursId}>{t.codeHours}</label>
        <input
          id={hoursId}
          type="number"
          min={1}
          max={LONGEST_CODE_HOURS}
          value={hours}
          onInput={(event) => setHours(event.currentTarget.valueAsNumber || DEFAULT_CODE_HOURS)}
        />
        <button type="button" class="button" onClick={() => host.makeCode(hours)}>
          {code.code ? t.renewCode : t.makeCode}
        </button>
        {code.code && (
          <>
            <button type="button" class="plain" onClick={copy}>
              {isCopied ? t.copied : t.copyCode}
            </button>
            <button type="button" class="plain" onClick={host.endCode}>
              {t.endCode}
            </button>
          </>
        )}
      </div>
    </Part>
  )
}

const timeOf = (epochMs: number, locale: Locale) =>
  new Date(epochMs).toLocaleString(locale, { dateStyle: 'short', timeStyle: 'short' })
