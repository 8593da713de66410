import type { Webhook } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { useDrawer } from '../../data/location.ts'
import { useQuery } from '../../data/query.ts'
import { Badge } from '../../ui/state/badge.tsx'
import { List } from '../../ui/state/list.tsx'
import { lengthText, useWatchTexts } from '../texts.ts'
import { NewWebhook } from './new-webhook.tsx'
import { WebhookDrawer } from './webhook-drawer.tsx'

const PATH = '/api/admin/webhooks'

/** The addresses that the station tells what happens. */
export function Webhooks() {
  const t = useWatchTexts()
  const webhooks = useQuery(`GET ${PATH}`)
  const { selected, open, close } = useDrawer()
  const [isAdding, setAdding] = useState(false)
  const all = webhooks.is === 'ready' ? webhooks.data.webhooks : []
  const chosen = all.find(({ id }) => id === selected)
  return (
    <>
      <div class="hooks-tools">
        <p class="hint">{t.hooksHint}</p>
        <button type="button" class="button" onClick={() => setAdding(true)}>
          {t.addHook}
        </button>
      </div>
      <List state={webhooks} isEmpty={({ webhooks }) => webhooks.length === 0} empty={<p>{t.hooksEmpty}</p>}>
        {({ webhooks }) => (
          <ul class="hooks" aria-label={t.tabs.webhooks}>
            {webhooks.map((webhook) => (
              <li key={webhook.id}>
                <button type="button" class="hook" onClick={() => open(webhook.id)}>
                  <b>{new URL(webhook.url).host}</b>
                  <span class="hook-about">{webhook.description || new URL(webhook.url).pathname}</span>
                  <span class="hook-events soft">
                    {webhook.types.map((type) => t.types[type]).join(' · ')}
                  </span>
                  <WebhookState webhook={webhook} />
                </button>
              </li>
            ))}
          </ul>
        )}
      </List>
      {isAdding && <NewWebhook onClose={() => setAdding(false)} />}
      {chosen && <WebhookDrawer key={chosen.id} webhook={chosen} onClose={close} />}
    </>
  )
}

function WebhookState({ webhook }: { webhook: Webhook }) {
  const t = useWatchTexts()
  const { isOn, failingSince } = webhook
  if (!isOn) return <Badge tone={webhook.switchedOff ? 'warning' : 'plain'}>{t.off}</Badge>
  if (failingSince === null) return <Badge>{t.on}</Badge>
  return <Badge tone="warning">{t.failing(lengthText(Date.now() - failingSince, t))}</Badge>
}
