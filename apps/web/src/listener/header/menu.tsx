import './menu.css'
import type { Locale } from '@solstice/contracts'
import { Icon } from '../../ui/icons.tsx'
import { Languages } from '../../ui/language/languages.tsx'
import { Popover } from '../../ui/popover/popover.tsx'
import { useRadio } from '../radio-context.ts'
import type { HeaderLink } from './links.ts'
import type { MenuItem } from './menu-items.ts'

interface Props {
  /** Shown here where the header has no room for them. */
  links: HeaderLink[]
  onLocale: (locale: Locale) => void
  items: MenuItem[]
}

/** What a listener needs now and then. */
export function Menu({ links, items, onLocale }: Props) {
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
            {items.map(({ icon, label, onPress }) => (
              <li key={label}>
                <button type="button" class="menu-item" onClick={choose(onPress)}>
                  <Icon name={icon} size={20} />
                  {label}
                </button>
              </li>
            ))}
            <li class="only-narrow menu-languages">
              <Languages page="player" locale={locale} label={t.language} onLocale={onLocale} />
            </li>
          </ul>
        )
      }}
    </Popover>
  )
}
