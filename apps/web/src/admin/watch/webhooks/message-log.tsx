import type { Webhook, WebhookMessage } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { useCommand } from '../../data/commands.ts'
import { useAdmin, usePanel } from '../../data/panel.ts'
import { useQuery } from '../../data/query.ts'
import { zoneTime } from '../../shell/time.ts'
import { Badge } from '../../ui/state/badge.tsx'
import { List } from '../../ui/state/list.tsx'
import { Pages } from '../../ui/state/pages.tsx'
import { momentText } from '../moments.ts'
import { useWatchTexts } from '../texts.ts'

const PATH = '/api/admin/webhooks'
const PAGE = 20
const LOOK_MS = 3_000

/** What a webhook was told, the newest first, and how that went. */
export function MessageLog({ webhook }: { webhook: Webhook }) {
  const t = useWatchTexts()
  const { queries } = usePanel()
  const [offset, setOffset] = useState(0)
  const { id } = webhook
  const log = useQuery(`GET ${PATH}/:id/messages`, { params: { id }, query: { limit: PAGE, offset } })
  useEffect(() => {
    const timer = setInterval(() => queries.invalidate(`${PATH}/:id/messages`), LOOK_MS)
    return () => clearInterval(timer)
  }, [queries])
  return (
    <section class="hook-log" aria-labelledby="hook-log">
      <h3 id="hook-log">{t.log}</h3>
      <List state={log} isEmpty={({ total }) => total === 0} empty={<p>{t.logEmpty}</p>}>
        {({ messages, total }) => (
          <>
            <ol>
              {messages.map((message) => (
                <MessageRow key={message.id} webhook={webhook} message={message} />
              ))}
            </ol>
            <Pages {...{ offset, total, page: PAGE, shown: messages.length }} onTurn={setOffset} />
          </>
        )}
      </List>
    </section>
  )
}

function MessageRow({ webhook, message }: { webhook: Webhook; message: WebhookMessage }) {
  const t = useWatchTexts()
  const { config, locale } = useAdmin()
  const { state, status, error, attempts, nextAt, createdAt } = message
  const replay = useCommand(`POST ${PATH}/:id/messages/:messageId/replay`, {
    outdates: [PATH],
    success: t.replayed,
  })
  const type = (t.types as Partial<Record<string, string>>)[message.type] ?? t.typeOfTest
  const facts = [
    attempts > 1 && t.attempts(attempts),
    status !== null && t.answered(status),
    error !== null && t.noAnswer(error),
    state === 'pending' && attempts > 0 && nextAt !== null && t.nextAt(zoneTime(nextAt, config.timeZone)),
  ]
  const mayReplay = webhook.isOn && state !== 'pending' && !replay.isBusy
  return (
    <li class="hook-message">
      <b>{type}</b>
      <Badge tone={state === 'failed' ? 'warning' : 'plain'}>{t.states[state]}</Badge>
      <time class="soft" dateTime={new Date(createdAt).toISOString()}>
        {momentText(createdAt, locale, config.timeZone)}
      </time>
      <span class="hook-facts">{facts.filter(Boolean).join(' · ')}</span>
      <button
        type="button"
        class="text-button"
        aria-label={`${t.replay}: ${type}`}
        aria-disabled={!mayReplay}
        title={webhook.isOn ? undefined : t.off}
        onClick={() => mayReplay && void replay.run({ params: { id: webhook.id, messageId: message.id } })}
      >
        {t.replay}
      </button>
      <details>
        <summary>{t.body}</summary>
        <pre>{pretty(message.body)}</pre>
      </details>
    </li>
  )
}

const pretty = (body: string): string => JSON.stringify(JSON.parse(body), null, 2)
