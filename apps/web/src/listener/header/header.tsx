import type { Locale, RadioState } from '@solstice/contracts'
import { Icon } from '../../ui/icons.tsx'
import { Languages } from '../../ui/language/languages.tsx'
import { useStore } from '../../ui/store.ts'
import { useToast } from '../../ui/toast.tsx'
import { useRadio } from '../radio-context.ts'
import type { SheetName } from '../sheets/sheets.tsx'
import { Link } from './link.tsx'
import { headerLinks } from './links.ts'
import { Menu } from './menu.tsx'
import { useMenuItems } from './menu-items.ts'
import { Roster } from './roster.tsx'

interface Props {
  state: RadioState | null
  stationName: string
  onLocale: (locale: Locale) => void
  onSheet: (sheet: SheetName) => void
}

export function Header({ state, stationName, onLocale, onSheet }: Props) {
  const { radio, locale, t } = useRadio()
  const link = useStore(radio.link)
  const isHosting = useStore(radio.connection.isHosting)
  const [toast, say] = useToast()
  const items = useMenuItems(stationName, onSheet, say)
  const links = headerLinks(state, isHosting, locale, t)
  return (
    <header class="header">
      <p class="name">{stationName}</p>
      <Link link={link} text={t.link[link]} />
      <div class="header-right">
        <Roster />
        {links.map(({ icon, label, href, isElsewhere }) => (
          <a
            key={href}
            class="header-link only-wide"
            href={href}
            target={isElsewhere ? '_blank' : undefined}
            rel="noreferrer"
          >
            <Icon name={icon} size={18} />
            <span>{label}</span>
          </a>
        ))}
        <div class="only-wide">
          <Languages page="player" locale={locale} label={t.language} onLocale={onLocale} />
        </div>
        <Menu links={links} onLocale={onLocale} items={items} />
        {toast}
      </div>
    </header>
  )
}
