import './status-page.css'
import type { Locale, Status } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { apiUrl } from '../api.ts'
import { StillHorizon } from '../listener/stage/horizon.tsx'
import { pathOf } from '../ui/language/language.ts'
import { Languages } from '../ui/language/languages.tsx'
import { Days } from './days.tsx'
import { durationText, momentText, percent } from './format.ts'
import { type StatusTexts, statusTexts } from './texts.ts'

const RENEW_MS = 30_000

interface Props {
  locale: Locale
  onLocale: (locale: Locale) => void
  /** As it was when the page was sent; null = ask. */
  first: Status | null
}

interface Said {
  status: Status
  locale: Locale
  t: StatusTexts
}

/** How the station is and was, for anybody. */
export function StatusPage({ locale, onLocale, first }: Props) {
  const status = useStatus(first)
  const t = statusTexts[locale]
  const said = status && { status, locale, t }
  return (
    <>
      <header class="header">
        <div class="header-right">
          <Languages page="status" locale={locale} label={t.language} onLocale={onLocale} />
        </div>
      </header>
      <main class="stage status">
        <div class="sky" />
        <div class="rim">
          <StillHorizon sound="paused" />
        </div>
        <section class="track">
          {said ? <Now {...said} /> : <h1 class="title">{t.unknown}</h1>}
          <a class="button" href={pathOf({ page: 'player', locale })}>
            {t.home}
          </a>
        </section>
        {said && <Record {...said} />}
      </main>
    </>
  )
}

/** The status, asked for again while the page is looked at; null when the station doesn't answer. */
function useStatus(first: Status | null): Status | null {
  const [status, setStatus] = useState(first)
  useEffect(() => {
    const renew = async () => {
      if (document.visibilityState === 'hidden') return
      const answer = await fetch(apiUrl('/api/status')).catch(() => null)
      if (answer?.status !== 429) setStatus(answer?.ok ? await answer.json() : null)
    }
    if (!first) void renew()
    const timer = setInterval(renew, RENEW_MS)
    document.addEventListener('visibilitychange', renew)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', renew)
    }
  }, [])
  return status
}

function Now({ status, locale, t }: Said) {
  const { isOnAir, onAirSince, timeZone, at } = status
  return (
    <div class="status-now" role="status">
      <h1 class="title">{isOnAir ? t.isOnAir : t.isOffAir}</h1>
      <p class="byline">
        {isOnAir && onAirSince !== null && t.since(momentText(onAirSince, { locale, timeZone }, at))}
      </p>
    </div>
  )
}

function Record(said: Said) {
  const { status, locale, t } = said
  const { uptime, mounts, timeZone, at } = status
  return (
    <div class="status-record">
      <Part title={t.uptime(uptime?.days.length ?? 90)}>
        {uptime ? (
          <>
            <p class="status-share">
              <b>{percent(uptime.share, locale)}</b> <span>{t.ofTime}</span>
            </p>
            <Days days={uptime.days} locale={locale} t={t} />
          </>
        ) : (
          <p class="soft">{t.notListened}</p>
        )}
      </Part>
      {uptime && (
        <Part title={t.incident}>
          <Incident {...said} />
        </Part>
      )}
      {mounts.length > 0 && (
        <Part title={t.streams}>
          <ul class="status-streams">
            {mounts.map(({ path, format, bitrate, isOnAir }) => (
              <li key={path} data-on={isOnAir}>
                <span>
                  {names[format]} {bitrate} {locale === 'uk' ? 'кбіт/с' : 'kbit/s'}
                </span>
                <span class="soft">{isOnAir ? t.plays : t.isSilent}</span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      <p class="status-foot soft">{t.asOf(momentText(at, { locale, timeZone }, at))}</p>
    </div>
  )
}

const names = { 'audio/mpeg': 'MP3', 'audio/aac': 'AAC', 'audio/ogg': 'Opus' } as const

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="status-part">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function Incident({ status, locale, t }: Said) {
  const { incident, timeZone, at } = status
  if (!incident) return <p>{t.none}</p>
  const { kind, from, until } = incident
  return (
    <p>
      {t[kind]}
      <br />
      <span class="soft">
        {momentText(from, { locale, timeZone }, at)} ·{' '}
        {until === null ? t.lasts : t.lasted(durationText(until - from, t))}
      </span>
    </p>
  )
}
