import { useState } from 'preact/hooks'
import { useCommand } from '../data/commands.ts'
import { useAdmin, usePanel } from '../data/panel.ts'
import { Field } from '../ui/fields/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { isStrong, passwordRules } from './password-rules.ts'
import { useMeTexts } from './texts.ts'

/** A helper's own login and password. */
export function Credentials() {
  const t = useMeTexts()
  const { role, may } = useAdmin()
  if (role === 'super_admin') return <p class="hint">{t.superAccount}</p>
  if (!may({ capabilities: ['adminAccount'] })) return <p class="hint">{t.accountOff}</p>
  return (
    <div class="me-forms">
      <LoginForm />
      <PasswordForm />
    </div>
  )
}

function LoginForm() {
  const t = useMeTexts()
  const { verify } = usePanel()
  const { login } = useAdmin()
  const [wanted, setWanted] = useState('')
  const { run, isBusy } = useCommand('PUT /api/admin/admins/self/login')
  const isSame = wanted.trim() === login
  const isReady = wanted.trim() !== '' && !isSame && !isBusy
  const { currentField, canSubmit, submit } = useCurrentPassword(isReady, async (currentPassword) => {
    const done = await run({ body: { newLogin: wanted, currentPassword } })
    if (!done) return
    setWanted('')
    verify()
  })
  return (
    <form class="me-form" onSubmit={submit}>
      <h3>{t.login}</h3>
      <Field
        label={t.newLogin}
        hint={t.loginHint}
        error={isSame ? t.loginSame : null}
        value={wanted}
        onValue={setWanted}
        autocomplete="username"
        maxLength={64}
        placeholder={login}
      />
      {currentField}
      <button type="submit" class="button primary" aria-disabled={!canSubmit}>
        {t.changeLogin}
      </button>
    </form>
  )
}

function PasswordForm() {
  const t = useMeTexts()
  const [own, setOwn] = useState('')
  const [repeated, setRepeated] = useState('')
  const { run, isBusy } = useCommand('PUT /api/admin/admins/self/password', {
    outdates: ['/api/admin/self/sessions'],
  })
  const isDifferent = repeated !== '' && !own.startsWith(repeated)
  const isReady = isStrong(own) && repeated === own && !isBusy
  const { currentField, canSubmit, submit } = useCurrentPassword(isReady, async (currentPassword) => {
    const done = await run({ body: { currentPassword, newPassword: own } })
    if (!done) return
    setOwn('')
    setRepeated('')
  })
  return (
    <form class="me-form" onSubmit={submit}>
      <h3>{t.password}</h3>
      {currentField}
      <Field type="password" label={t.newPassword} value={own} onValue={setOwn} autocomplete="new-password" />
      <ul class="me-rules" aria-label={t.rulesTitle}>
        {passwordRules.map(({ id, isMet }) => (
          <li key={id} data-met={isMet(own)}>
            <Icon name={isMet(own) ? 'check' : 'more'} size={16} />
            {t.rules[id]}
          </li>
        ))}
      </ul>
      <Field
        type="password"
        label={t.repeat}
        hint={t.passwordHint}
        error={isDifferent ? t.different : null}
        value={repeated}
        onValue={setRepeated}
        autocomplete="new-password"
      />
      <button type="submit" class="button primary" aria-disabled={!canSubmit}>
        {t.changePassword}
      </button>
    </form>
  )
}

/** The current password, which every change needs: asked for again after each attempt. */
function useCurrentPassword(isReady: boolean, change: (currentPassword: string) => Promise<void>) {
  const t = useMeTexts()
  const [current, setCurrent] = useState('')
  const canSubmit = isReady && current !== ''
  return {
    currentField: (
      <Field
        type="password"
        label={t.current}
        value={current}
        onValue={setCurrent}
        autocomplete="current-password"
      />
    ),
    canSubmit,
    async submit(event: Event) {
      event.preventDefault()
      if (!canSubmit) return
      await change(current)
      setCurrent('')
    },
  }
}
