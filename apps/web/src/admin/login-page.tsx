import './admin.css'
import { useEffect, useId, useState } from 'preact/hooks'
import { Refusal } from '../api.ts'
import { textOf } from '../language.ts'
import { Languages } from '../languages.tsx'
import type { PageProps } from '../page.ts'
import { logIn, whoAmI } from './session.ts'
import { adminTexts } from './texts.ts'

type Reason = keyof (typeof adminTexts)['uk']['login']['loggedOut']

/** Where admins log in; who is logged in already goes on to the panel. */
export function LoginPage({ locale, onLocale, goTo }: PageProps) {
  const t = adminTexts[locale].login
  const [login, setLogin] = useState('')
  const [password, setPassword] = useState('')
  const [isBusy, setBusy] = useState(false)
  /** What was said last, as it came. */
  const [refusal, setRefusal] = useState<unknown>(null)
  const [loginId, passwordId] = [useId(), useId()]
  const reason = new URLSearchParams(location.search).get('why')

  useEffect(() => {
    document.title = t.title
  }, [t])
  useEffect(() => {
    whoAmI().then(
      (admin) => admin && goTo('adpanel'),
      () => {},
    )
  }, [])

  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      await logIn(login.trim(), password)
      goTo('adpanel')
    } catch (error) {
      setRefusal(error instanceof Refusal ? error.body : 'unreachable')
      setBusy(false)
    }
  }
  const said =
    refusal === 'unreachable'
      ? t.unreachable
      : refusal
        ? textOf(refusal, locale)
        : reason && Object.hasOwn(t.loggedOut, reason) && t.loggedOut[reason as Reason]

  return (
    <main class="login">
      <Languages page="adlogin" locale={locale} label={adminTexts[locale].language} onLocale={onLocale} />
      <h1>{t.title}</h1>
      <form onSubmit={submit}>
        <label for={loginId}>{t.login}</label>
        <input
          id={loginId}
          value={login}
          autocomplete="username"
          required
          onInput={(event) => setLogin(event.currentTarget.value)}
        />
        <label for={passwordId}>{t.password}</label>
        <input
          id={passwordId}
          type="password"
          value={password}
          autocomplete="current-password"
          required
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
        {said && (
          <p class="refusal" role="alert">
            {said}
          </p>
        )}
        <button type="submit" class="button" disabled={isBusy}>
          {t.enter}
        </button>
      </form>
    </main>
  )
}
