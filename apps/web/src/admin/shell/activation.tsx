import { useState } from 'preact/hooks'
import { useCommand } from '../data/commands.ts'
import { usePanel, useTexts } from '../data/panel.ts'
import { Field } from '../ui/fields/field.tsx'

/** All that a helper sees before the temporary password is replaced. */
export function Activation({ onActivated }: { onActivated: () => void }) {
  const { activate: t, logOut: logOutText } = useTexts()
  const { logOut, config } = usePanel()
  const isPossible = config.capabilities.adminAccount
  return (
    <main class="opening">
      <h1>{t.title}</h1>
      <p>{isPossible ? t.why : t.impossible}</p>
      {isPossible && <OwnPassword onActivated={onActivated} />}
      <button type="button" class="text-button" onClick={logOut}>
        {logOutText}
      </button>
    </main>
  )
}

function OwnPassword({ onActivated }: { onActivated: () => void }) {
  const { activate: t } = useTexts()
  const [temporary, setTemporary] = useState('')
  const [own, setOwn] = useState('')
  const [repeated, setRepeated] = useState('')
  const { run, isBusy } = useCommand('POST /api/admin/admins/self/activate')
  const isDifferent = repeated !== '' && repeated !== own
  const isReady = temporary && own && repeated === own && !isBusy
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!isReady) return
    const done = await run({ body: { tempPassword: temporary, newPassword: own } })
    if (done) onActivated()
  }
  const password = { type: 'password', required: true } as const
  return (
    <form class="opening-form" onSubmit={submit}>
      <Field
        {...password}
        label={t.temporary}
        value={temporary}
        onValue={setTemporary}
        autocomplete="current-password"
      />
      <Field
        {...password}
        label={t.own}
        hint={t.rule}
        value={own}
        onValue={setOwn}
        autocomplete="new-password"
      />
      <Field
        {...password}
        label={t.repeat}
        error={isDifferent ? t.different : null}
        value={repeated}
        onValue={setRepeated}
        autocomplete="new-password"
      />
      <button type="submit" class="button primary" aria-disabled={!isReady}>
        {t.submit}
      </button>
    </form>
  )
}
