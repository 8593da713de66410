import type { Locale } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { useCommand } from '../data/commands.ts'
import { usePanel, useTexts } from '../data/panel.ts'
import { Field } from '../ui/fields/field.tsx'

const uk = {
  title: 'Активуйте обліковий запис',
  why: 'Замініть тимчасовий пароль на власний. До того решта панелі недоступна.',
  impossible:
    'Цей обліковий запис ще не активовано, а на цій станції паролі не змінюють. Зверніться до головного адміністратора.',
  temporary: 'Тимчасовий пароль',
  own: 'Власний пароль',
  rule: 'Щонайменше 8 знаків: велика й мала літери та цифра.',
  repeat: 'Власний пароль ще раз',
  different: 'Паролі різні.',
  submit: 'Активувати',
}

const en: typeof uk = {
  title: 'Activate your account',
  why: 'Replace the temporary password with your own. Until then, the rest of the panel is unavailable.',
  impossible:
    'This account isn’t activated yet, and passwords can’t be changed on this station. Please ask the super admin.',
  temporary: 'Temporary password',
  own: 'Your own password',
  rule: 'At least 8 characters, with an upper-case letter, a lower-case letter and a digit.',
  repeat: 'Your own password again',
  different: 'The passwords differ.',
  submit: 'Activate',
}

const texts: Record<Locale, typeof uk> = { uk, en }

/** All that a helper sees before the temporary password is replaced. */
export function Activation({ onActivated }: { onActivated: () => void }) {
  const { logOut: logOutText } = useTexts()
  const { logOut, config, locale } = usePanel()
  const t = texts[locale]
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
  const t = texts[usePanel().locale]
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
