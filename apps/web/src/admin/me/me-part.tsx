import './me.css'
import { type Locale, locales } from '@solstice/contracts'
import { useStore } from '../../ui/store.ts'
import { areKeysOn, setKeysOn } from '../data/keys.ts'
import { useAdmin, usePanel, useTexts } from '../data/panel.ts'
import { chooseTheme, themeChoice, themeChoices } from '../shell/theme.ts'
import { Credentials } from './credentials.tsx'
import { Sessions } from './sessions.tsx'
import { useMeTexts } from './texts.ts'

/** The account that works here: its name and password, where it is logged in, and how the panel looks to it. */
export function MePart() {
  const t = useMeTexts()
  const { login, role, privileges } = useAdmin()
  const { privileges: names } = useTexts()
  const rights = privileges.map((name) => (names as Partial<Record<string, string>>)[name] ?? name)
  return (
    <div class="me-part">
      <header class="me-head">
        <h1>{login}</h1>
        <p class="hint">
          {t.roles[role]} · {role === 'super_admin' ? t.allRights : `${t.rights}: ${rights.join(', ')}`}
        </p>
      </header>
      <div class="me-columns">
        <section>
          <h2>{t.sessions}</h2>
          <p class="hint">{t.sessionsHint}</p>
          <Sessions />
        </section>
        <section>
          <h2>{t.look}</h2>
          <Preferences />
        </section>
        <section class="me-credentials">
          <h2>
            {t.login} · {t.password}
          </h2>
          <Credentials />
        </section>
      </div>
    </div>
  )
}

function Preferences() {
  const t = useMeTexts()
  const { themes } = useTexts()
  const { locale, onLocale } = usePanel()
  const theme = useStore(themeChoice)
  const isOn = useStore(areKeysOn)
  return (
    <div class="me-preferences">
      <fieldset class="choices">
        <legend>{t.theme}</legend>
        {themeChoices.map((choice) => (
          <label key={choice}>
            <input type="radio" name="look" checked={choice === theme} onChange={() => chooseTheme(choice)} />
            {themes[choice]}
          </label>
        ))}
      </fieldset>
      <fieldset class="choices">
        <legend>{t.language}</legend>
        {locales.map((other: Locale) => (
          <label key={other} lang={other}>
            <input type="radio" name="language" checked={other === locale} onChange={() => onLocale(other)} />
            {t.languages[other]}
          </label>
        ))}
      </fieldset>
      <fieldset class="choices">
        <legend>{t.keys}</legend>
        <label>
          <input
            type="checkbox"
            checked={isOn}
            onChange={({ currentTarget }) => setKeysOn(currentTarget.checked)}
          />
          {t.keysOn}
        </label>
        <p class="hint">{t.keysHint}</p>
      </fieldset>
    </div>
  )
}
