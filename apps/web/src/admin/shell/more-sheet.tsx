import { Languages } from '../../ui/language/languages.tsx'
import { closeSheet } from '../../ui/sheet/sheet.tsx'
import { useStore } from '../../ui/store.ts'
import { hrefOf, navigate } from '../data/location.ts'
import { useAdmin, usePanel, useTexts } from '../data/panel.ts'
import type { Part } from '../parts.ts'
import { Icon } from '../ui/icon.tsx'
import { Drawer } from '../ui/layers/drawer.tsx'
import type { Layer } from './layer.ts'
import { chooseTheme, themeChoice, themeChoices } from './theme.ts'

/** The parts that a phone's bar has no room for, the look, the language, and the two ways out. */
export function MoreSheet(props: {
  parts: readonly Part[]
  home: string
  onClose: () => void
  onLayer: (layer: Layer) => void
}) {
  const { parts, home, onClose, onLayer } = props
  const { locale, onLocale, logOut } = usePanel()
  const { login, verdict } = useAdmin()
  const t = useTexts()
  const theme = useStore(themeChoice)
  const go = (event: Event, run: () => void) => {
    closeSheet(event)
    run()
  }
  return (
    <Drawer title={login} onClose={onClose}>
      <ul class="more">
        {parts.map(({ id, icon, title, access }) => (
          <li key={id} class="more-part">
            <button
              type="button"
              class="rail-link"
              data-denied={verdict(access).is === 'denied'}
              onClick={(event) => go(event, () => navigate(hrefOf(id)))}
            >
              <Icon name={icon} size={20} />
              <span>{title[locale]}</span>
              {verdict(access).is === 'denied' && <Icon name="lock" size={14} />}
            </button>
          </li>
        ))}
        <li>
          <button type="button" class="rail-link" onClick={(event) => go(event, () => onLayer('keys'))}>
            <Icon name="keyboard" size={20} />
            <span>{t.keys}</span>
          </button>
        </li>
      </ul>
      <fieldset class="choices">
        <legend>{t.theme}</legend>
        {themeChoices.map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name="theme"
              checked={choice === theme}
              onChange={() => chooseTheme(choice)}
            />
            {t.themes[choice]}
          </label>
        ))}
      </fieldset>
      <Languages page="adpanel" locale={locale} label={t.language} onLocale={onLocale} />
      <ul class="more more-out">
        <li>
          <a class="rail-link" href={home}>
            <Icon name="onAir" size={20} />
            <span>{t.leave}</span>
          </a>
        </li>
        <li>
          <button type="button" class="rail-link" onClick={logOut}>
            <Icon name="leave" size={20} />
            <span>{t.logOut}</span>
          </button>
        </li>
      </ul>
    </Drawer>
  )
}
