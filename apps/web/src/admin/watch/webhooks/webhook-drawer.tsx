import type { Webhook } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { Confirm } from '../../confirm.tsx'
import { useCommand } from '../../data/commands.ts'
import { Drawer } from '../../ui/layers/drawer.tsx'
import { useWatchTexts } from '../texts.ts'
import { MessageLog } from './message-log.tsx'
import { isChosen, type WebhookChoice, WebhookFields } from './webhook-fields.tsx'

const PATH = '/api/admin/webhooks'

/** A webhook: whether it is on, its log, what it is told, and its end. */
export function WebhookDrawer({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useWatchTexts()
  const params = { id: webhook.id }
  const edit = useCommand(`PUT ${PATH}/:id`, { outdates: [PATH], success: t.saved })
  const remove = useCommand(`DELETE ${PATH}/:id`, { outdates: [PATH], success: t.deleted })
  const test = useCommand(`POST ${PATH}/:id/test`, { outdates: [PATH], success: t.tested })
  const { isOn, switchedOff } = webhook
  /** What was asked for and isn't known to be so yet. */
  const [wanted, setWanted] = useState<boolean | null>(null)
  useEffect(() => setWanted(null), [isOn])
  const toggle = async () => {
    if (edit.isBusy) return
    setWanted(!isOn)
    if (!(await edit.run({ params, body: { isOn: !isOn } }))) setWanted(null)
  }
  return (
    <Drawer
      title={new URL(webhook.url).host}
      onClose={onClose}
      isWide
      actions={
        <>
          <button
            type="button"
            class="button"
            aria-disabled={!isOn || test.isBusy}
            title={isOn ? undefined : t.off}
            onClick={() => isOn && void test.run({ params })}
          >
            {t.test}
          </button>
          <Confirm
            label={t.remove}
            sure={t.removeSure}
            yes={t.yes}
            no={t.no}
            onYes={async () => {
              if (await remove.run({ params })) onClose()
            }}
          />
        </>
      }
    >
      <label class="switch hook-switch">
        <input type="checkbox" checked={wanted ?? isOn} onChange={() => void toggle()} />
        {t.isOn}
      </label>
      {switchedOff && <p class="hook-off">{t.switchedOff[switchedOff]}</p>}
      <div class="hook-columns">
        <MessageLog webhook={webhook} />
        <Choices webhook={webhook} isBusy={edit.isBusy} onSave={(body) => void edit.run({ params, body })} />
      </div>
    </Drawer>
  )
}

function Choices(props: { webhook: Webhook; isBusy: boolean; onSave: (choice: WebhookChoice) => void }) {
  const { webhook, isBusy, onSave } = props
  const t = useWatchTexts()
  const { url, types, description } = webhook
  const [choice, setChoice] = useState<WebhookChoice>({ url, types, description })
  const isChanged =
    choice.url !== url ||
    choice.description !== description ||
    [...choice.types].sort().join() !== [...types].sort().join()
  const isReady = isChanged && isChosen(choice) && !isBusy
  return (
    <form
      class="hook-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) onSave(choice)
      }}
    >
      <WebhookFields value={choice} onValue={setChoice} />
      <button type="submit" class="button" aria-disabled={!isReady}>
        {t.save}
      </button>
    </form>
  )
}
