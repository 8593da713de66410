import './admin.css'
import { useEffect, useId, useState } from 'preact/hooks'
import { ApiError } from '../api.ts'
import { Arc, Light, Stars } from '../listener/horizon.tsx'
import { texts } from '../texts.ts'
import { localizedText, pathOf } from '../ui/language.ts'
import { Languages } from '../ui/languages.tsx'
import type { PageProps } from '../ui/page-props.ts'
import { logIn, verifySession } from './session.ts'
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
    verifySession().then(
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
      setRefusal(error instanceof ApiError ? error.body : 'unreachable')
      setBusy(false)
    }
  }
  const said =
    refusal === 'unreachable'
      ? t.unreachable
      : refusal
        ? localizedText(refusal, locale)
        : reason && Object.hasOwn(t.loggedOut, reason) && t.loggedOut[reason as Reason]

  return (
    <>
      <header class="header">
        <a class="name" href={pathOf({ page: 'player', locale })}>
          {texts[locale].radio}
        </a>
        <div class="header-right">
          <Languages page="adlogin" locale={locale} label={adminTexts[locale].language} onLocale={onLocale} />
        </div>
      </header>
      <main class="stage guest">
        <div class="sky">
          <Stars />
        </div>
        <div class="rim">
          <div class="horizon" data-sound="paused" style={{ '--p': 0.5 }}>
            <Arc />
            <Light />
          </div>
        </div>
        <section class="song room">
          <h1 class="title" data-size="m">
            {t.title}
          </h1>
          <p class="says" role="alert">
            {said}
          </p>
          <form class="form" onSubmit={submit}>
            <label for={loginId}>{t.login}</label>
            <input
              id={loginId}
              value={login}
              autocomplete="username"
              autocapitalize="off"
              spellcheck={false}
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
            <button type="submit" class="button primary" disabled={isBusy}>
              {t.enter}
            </button>
          </form>
        </section>
      </main>
    </>
  )
}
