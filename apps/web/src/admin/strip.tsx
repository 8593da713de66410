import type { Locale } from '@solstice/contracts'
import { formatDuration, trackLine } from '../listener/format.ts'
import type { LiveConnection } from '../live/live-connection.ts'
import { isChatting } from '../radio/timeline.ts'
import { pathOf } from '../ui/language/language.ts'
import { Languages } from '../ui/language/languages.tsx'
import { useStore } from '../ui/store.ts'
import { useNow } from '../ui/use-now.ts'
import type { AdminTexts } from './texts.ts'

interface Props {
  /** The station's. */
  name: string
  connection: LiveConnection
  locale: Locale
  onLocale: (locale: Locale) => void
  onLogOut: () => void
  t: AdminTexts
}

/** The strip at the top of the panel. */
export function Strip({ name, connection, locale, onLocale, onLogOut, t }: Props) {
  return (
    <header class="strip">
      <a class="strip-name" href={pathOf({ page: 'player', locale })}>
        {name}
      </a>
      <OnAir connection={connection} t={t} />
      <div class="strip-end">
        <Languages page="adpanel" locale={locale} label={t.language} onLocale={onLocale} />
        <button type="button" class="plain" onClick={onLogOut}>
          {t.logOut}
        </button>
      </div>
    </header>
  )
}

/** The track on air, the time it has left, and the next one. */
function OnAir({ connection, t }: { connection: LiveConnection; t: AdminTexts }) {
  const air = useStore(connection.air)
  useNow(air?.duration ? 500 : null)
  if (!air) return <p class="strip-air">{t.connecting}</p>
  const next = air.playlist[0]
  const now = air.isPreparing ? t.preparing : isChatting(air) ? t.chatting : trackLine(air)
  const leftS = air.duration - air.seek - (connection.stationNowMs() - air.serverTimeMs) / 1000
  return (
    <p class="strip-air">
      <span class="badge">{t[air.mode]}</span>
      <span class="strip-now" aria-live="polite">
        {now}
      </span>
      {air.duration > 0 && <span role="timer">−{formatDuration(Math.max(0, leftS))}</span>}
      {next && (
        <span class="strip-next">
          {t.next}: {trackLine(next)}
        </span>
      )}
    </p>
  )
}
