import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/page.css'
import type { Locale, Mode } from '@solstice/contracts'
import { type ComponentType, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import {
  chooseLocale,
  chosenLocale,
  localeOf,
  type PageAddress,
  parsePath,
  pathOf,
  tellStation,
} from './ui/language/language.ts'
import type { PageProps } from './ui/page-props.ts'
import { openTheme } from './ui/theme.ts'

/** Draws the page of this document over what the station sent of it. @param mode a look that was chosen; else that of the air */
export function openPage(Page: ComponentType<PageProps>, mode?: Mode): void {
  openTheme(mode)
  // `hydrate` would leave attributes as they are, and some are known here only: the volume, or a chosen language.
  render(<App Page={Page} />, document.getElementById('page')!)
}

/**
 * Follows the address. The language may change within a document; another page is another document, so that each has the
 * browser's sound and microphone to itself, and the scripts of one page are not fetched for another.
 */
function App({ Page }: { Page: ComponentType<PageProps> }) {
  const [place, setPlace] = useState(arrive)
  useEffect(() => {
    const navigated = () => {
      const next = parsePath(location.pathname)
      if (next && next.page === place.page) setPlace(next)
      else location.reload()
    }
    addEventListener('popstate', navigated)
    return () => removeEventListener('popstate', navigated)
  }, [place])
  useEffect(() => {
    document.documentElement.lang = place.locale
  }, [place])

  const { page, locale } = place
  const onLocale = (chosen: Locale) => {
    // The part of the panel may have changed since.
    const here = parsePath(location.pathname)
    const next = { ...(here ?? { page }), locale: chosen }
    chooseLocale(next)
    if (here) history.pushState(null, '', pathOf(next) + location.search)
    setPlace(next)
  }
  return (
    <Page
      locale={locale}
      onLocale={onLocale}
      goTo={(next) => location.replace(pathOf({ page: next, locale }))}
    />
  )
}

/** The page of the address; a bare Ukrainian one means English to somebody who chose that before. */
function arrive(): PageAddress {
  const place = parsePath(location.pathname)
  const locale = localeOf(location.pathname)
  const chosen = chosenLocale(place?.page)
  if (locale !== 'uk' || !chosen || chosen === 'uk') return place ?? { page: 'player', locale }
  const preferred: PageAddress = { ...(place ?? { page: 'player' }), locale: chosen }
  // Chosen before stations were told, or too long ago for its cookie.
  tellStation(preferred.page, chosen)
  if (place) history.replaceState(null, '', pathOf(preferred) + location.search)
  return preferred
}
