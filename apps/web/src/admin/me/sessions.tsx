import type { AdminSession } from '@solstice/contracts'
import { useNow } from '../../ui/use-now.ts'
import { Confirm } from '../confirm.tsx'
import { useCommand } from '../data/commands.ts'
import { useAdmin } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Badge } from '../ui/state/badge.tsx'
import { List } from '../ui/state/list.tsx'
import { browserName } from './browser-names.ts'
import { useMeTexts } from './texts.ts'

const PATH = '/api/admin/self/sessions'
const MINUTE_MS = 60_000

/** The account's logins that go on, and the end of them. */
export function Sessions() {
  const t = useMeTexts()
  const sessions = useQuery(`GET ${PATH}`)
  const one = useCommand(`DELETE ${PATH}/:id`, { outdates: [PATH] })
  const others = useCommand(`DELETE ${PATH}`, { outdates: [PATH] })
  return (
    <List state={sessions} rows={3}>
      {({ sessions: all }) => (
        <>
          <ul class="me-sessions">
            {all.map((session) => (
              <Row key={session.id} session={session} onEnd={(id) => void one.run({ params: { id } })} />
            ))}
          </ul>
          {all.length > 1 ? (
            <Confirm
              label={t.endOthers}
              sure={t.endOthersSure}
              yes={t.yes}
              no={t.no}
              onYes={() => void others.run()}
            />
          ) : (
            <p class="hint">{t.onlyThis}</p>
          )}
        </>
      )}
    </List>
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
