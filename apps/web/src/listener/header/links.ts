import type { Locale, RadioState } from '@solstice/contracts'
import type { IconName } from '../../ui/icons.tsx'
import { pathOf } from '../../ui/language/language.ts'
import { messengerOf } from '../format.ts'
import type { Texts } from '../texts/texts.ts'

export interface HeaderLink {
  icon: IconName
  label: string
  href: string
  /** It opens in a tab of its own. */
  isElsewhere: boolean
}

/** The ways to speak with the station: on air, and in its messenger. */
export function headerLinks(
  state: RadioState | null,
  isHosting: boolean,
  locale: Locale,
  t: Texts,
): HeaderLink[] {
  const links: HeaderLink[] = []
  const messenger = messengerOf(state, locale)
  if (isHosting) {
    const href = pathOf({ page: 'guest', locale })
    links.push({ icon: 'microphone', label: t.hosts.askToSpeak, href, isElsewhere: false })
  }
  if (messenger) links.push({ icon: 'message', isElsewhere: true, ...messenger })
  return links
}
