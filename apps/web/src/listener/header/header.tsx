import type { Locale, RadioState } from '@solstice/contracts'
import { Icon } from '../../ui/icons.tsx'
import { pathOf } from '../../ui/language/language.ts'
import { Languages } from '../../ui/language/languages.tsx'
import { useStore } from '../../ui/store.ts'
import { messengerOf } from '../format.ts'
import { useRadio } from '../radio-context.ts'
import { Link } from './link.tsx'
import { Roster } from './roster.tsx'

interface Props {
  state: RadioState | null
  stationName: string
  onLocale: (locale: Locale) => void
}

export function Header({ state, stationName, onLocale }: Props) {
  const { radio, locale, t } = useRadio()
  const link = useStore(radio.link)
  const isHosting = useStore(radio.connection.isHosting)
  const messenger = messengerOf(state, locale)
  return (
    <header class="header">
      <p class="name">{stationName}</p>
      <Link link={link} text={t.link[link]} />
      <div class="header-right">
        <Roster />
        {isHosting && (
          <a class="header-link" href={pathOf({ page: 'guest', locale })}>
            <Icon name="microphone" size={18} />
            <span>{t.hosts.askToSpeak}</span>
          </a>
        )}
        {messenger && (
          <a class="header-link" href={messenger.href} target="_blank" rel="noreferrer">
            <Icon name="message" size={18} />
            <span>{messenger.label}</span>
          </a>
        )}
        <Languages page="player" locale={locale} label={t.language} onLocale={onLocale} />
      </div>
    </header>
  )
}
