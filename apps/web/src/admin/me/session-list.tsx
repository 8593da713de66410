import './me.css'
import type { AdminSession } from '@solstice/contracts'
import { useNow } from '../../ui/use-now.ts'
import { Confirm } from '../confirm.tsx'
import { useAdmin } from '../data/panel.ts'
import { Badge } from '../ui/state/badge.tsx'
import { browserName } from './browser-names.ts'
import { useMeTexts } from './texts.ts'

const MINUTE_MS = 60_000

/** Logins that go on: the browser, where it is, when it was last seen; each but the current one can be ended. */
export function SessionList(props: { sessions: readonly AdminSession[]; onEnd: (id: string) => void }) {
  return (
    <ul class="me-sessions">
      {props.sessions.map((session) => (
        <Row key={session.id} session={session} onEnd={props.onEnd} />
      ))}
    </ul>
  )
}

function Row({ session, onEnd }: { session: AdminSession; onEnd: (id: string) => void }) {
  const t = useMeTexts()
  const { id, userAgent, address, createdAt, lastSeenAt, current } = session
  const name = browserName(userAgent) || t.unknownBrowser
  const ago = useAgo()
  return (
    <li>
      <span class="me-session" title={userAgent}>
        <span>
          <b>{name}</b> {current && <Badge tone="light">{t.thisOne}</Badge>}
        </span>
        <span class="hint">
          {t.sessionFrom(address, ago(lastSeenAt))} · {t.since(ago(createdAt))}
        </span>
      </span>
      {!current && (
        <Confirm
          label={t.end}
          about={`${name}, ${address}`}
          sure={t.endSure}
          yes={t.yes}
          no={t.no}
          onYes={() => onEnd(id)}
        />
      )}
    </li>
  )
}

/** How long ago a moment (epoch ms) was, in words. */
function useAgo(): (atMs: number) => string {
  const t = useMeTexts()
  const { locale } = useAdmin()
  const nowMs = useNow(MINUTE_MS)
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  return (atMs) => {
    const minutes = Math.round((nowMs - atMs) / MINUTE_MS)
    if (minutes < 1) return t.now
    if (minutes < 60) return words.format(-minutes, 'minute')
    return minutes < 1440
      ? words.format(-Math.round(minutes / 60), 'hour')
      : words.format(-Math.round(minutes / 1440), 'day')
  }
}
