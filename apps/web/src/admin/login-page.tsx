import '../live/form.css'
import '../live/guest/guest-page.css'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { ApiError } from '../api.ts'
import { STATION_NAME } from '../listener/format.ts'
import { Stars, StillHorizon } from '../listener/stage/horizon.tsx'
import { pathOf } from '../ui/language/language.ts'
import { Languages } from '../ui/language/languages.tsx'
import { localizedText } from '../ui/language/localized-text.ts'
import type { PageProps } from '../ui/loading/page-props.ts'
import { sentStationName } from '../ui/station-name.ts'
import { logIn, verifySession } from './session.ts'
import { type AdminTexts, adminTexts } from './texts.ts'

type Reason = keyof AdminTexts['login']['loggedOut']

/** The login of admins; those who are logged in already go on to the panel. */
export function LoginPage({ locale, onLocale, goTo }: PageProps) {
  const t = adminTexts[locale].login
  /** The last error answer of the station, as it came. */
  const [error, setError] = useState<unknown>(null)
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

  const message = () => {
    if (error === 'unreachable') return t.unreachable
    if (error) return localizedText(error, locale)
    return reason && Object.keys(t.loggedOut).includes(reason) && t.loggedOut[reason as Reason]
  }
  return (
    <>
      <header class="header">
        <a class="name" href={pathOf({ page: 'player', locale })}>
          {sentStationName() ?? STATION_NAME}
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
          <StillHorizon sound="paused" progress={0.5} />
        </div>
        <section class="track room">
          <h1 class="title" data-size="m">
            {t.title}
          </h1>
          <p class="says" role="alert">
            {message()}
          </p>
          <LoginForm t={t} onLoggedIn={() => goTo('adpanel')} onError={setError} />
        </section>
      </main>
    </>
  )
}

interface FormProps {
  t: AdminTexts['login']
  onLoggedIn: () => void
  /** Gets the body of the station's answer, or 'unreachable'. */
  onError: (error: unknown) => void
}

function LoginForm({ t, onLoggedIn, onError }: FormProps) {
  const [login, setLogin] = useState('')
  const [password, setPassword] = useState('')
  const [isShown, setShown] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const [loginId, passwordId] = [useId(), useId()]
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    try {
      await logIn(login.trim(), password)
      onLoggedIn()
    } catch (error) {
      onError(error instanceof ApiError ? error.body : 'unreachable')
      setBusy(false)
      field.current?.select()
    }
  }
  return (
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
        ref={field}
        // The types know either kind of field only.
        type={(isShown ? 'text' : 'password') as 'password'}
        value={password}
        autocomplete="current-password"
        required
        onInput={(event) => setPassword(event.currentTarget.value)}
      />
      <button
        type="button"
        class="text-button"
        aria-pressed={isShown}
        aria-controls={passwordId}
        onClick={() => setShown(!isShown)}
      >
        {t.show}
      </button>
      <button type="submit" class="button primary" aria-disabled={isBusy}>
        {t.enter}
      </button>
    </form>
  )
}
