import { useState } from 'preact/hooks'
import { useCommand } from '../../data/commands.ts'
import { CopyButton } from '../../ui/fields/copy-button.tsx'
import { Drawer } from '../../ui/layers/drawer.tsx'
import { useWatchTexts } from '../texts.ts'
import { isChosen, type WebhookChoice, WebhookFields } from './webhook-fields.tsx'

const PATH = '/api/admin/webhooks'

/** Adds a webhook, then shows its secret, this once. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const t = useWatchTexts()
  const [choice, setChoice] = useState<WebhookChoice>({ url: '', types: ['alarm.began'], description: '' })
  const [secret, setSecret] = useState<string | null>(null)
  const { run, isBusy } = useCommand(`POST ${PATH}`, { outdates: [PATH] })
  const isReady = isChosen(choice) && !isBusy
  const create = async (event: Event) => {
    event.preventDefault()
    if (!isReady) return
    const created = await run({ body: choice })
    if (created) setSecret(created.secret)
  }
  if (secret !== null)
    return (
      <Drawer title={t.secret} onClose={onClose} actions={<CopyButton text={secret} words={t} />}>
        <p>
          <code class="hook-secret">{secret}</code>
        </p>
        <p class="hint">{t.secretOnce}</p>
      </Drawer>
    )
  return (
    <Drawer title={t.addHook} onClose={onClose}>
      <form class="hook-form" onSubmit={create}>
        <WebhookFields value={choice} onValue={setChoice} />
        <button type="submit" class="button primary" aria-disabled={!isReady}>
          {t.create}
        </button>
      </form>
    </Drawer>
  )
}
