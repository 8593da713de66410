import './menu.css'
import type { Locale } from '@solstice/contracts'
import { Icon, type IconName } from '../../ui/icons.tsx'
import { Languages } from '../../ui/language/languages.tsx'
import { Popover } from '../../ui/popover/popover.tsx'
import { useRadio } from '../radio-context.ts'
import type { HeaderLink } from './links.ts'

interface Props {
  /** Shown here where the header has no room for them. */
  links: HeaderLink[]
  onLocale: (locale: Locale) => void
  onPreferences: () => void
}

/** What a listener needs now and then. */
export function Menu({ links, onLocale, onPreferences }: Props) {
  const { locale, t } = useRadio()
  return (
    <Popover class="menu" label={t.menu} button={<Icon name="more" />}>
      {(close) => {
        const choose = (action: () => void) => () => {
          close()
          action()
        }
        return (
          <ul class="menu-items">
            {links.map((link) => (
              <li key={link.href} class="only-narrow">
                <a
                  class="menu-item"
                  href={link.href}
                  target={link.isElsewhere ? '_blank' : undefined}
                  rel="noreferrer"
                >
                  <Icon name={link.icon} size={20} />
                  {link.label}
                </a>
              </li>
            ))}
            <MenuItem icon="preferences" label={t.preferences.title} onPress={choose(onPreferences)} />
            <li class="only-narrow menu-languages">
              <Languages page="player" locale={locale} label={t.language} onLocale={onLocale} />
            </li>
          </ul>
        )
      }}
    </Popover>
  )
}

function MenuItem(props: { icon: IconName; label: string; onPress: () => void }) {
  return (
    <li>
      <button type="button" class="menu-item" onClick={props.onPress}>
        <Icon name={props.icon} size={20} />
        {props.label}
      </button>
    </li>
  )
}
