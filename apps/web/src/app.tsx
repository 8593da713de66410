import type { Locale } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { ListenerPage } from './listener/listener-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import type { Radio } from './radio/radio.ts'
import { chooseLocale, chosenLocale, type PageAddress, parsePath, pathOf } from './ui/language/language.ts'
import { lazyPage } from './ui/lazy-page.tsx'
import type { PageProps } from './ui/page-props.ts'

const GuestPage = lazyPage(async () => (await import('./live/guest/guest-page.tsx')).GuestPage)
const LoginPage = lazyPage(async () => (await import('./admin/login-page.tsx')).LoginPage)
const AdminPage = lazyPage(async () => (await import('./admin/admin-page.tsx')).AdminPage)

/**
 * Chooses page and language by the address. The language may change within a document; another page is another
 * document, so that each has the browser's sound and microphone to itself.
 */
export function App({ createRadio }: { createRadio: () => Radio }) {
  const [place, setPlace] = useState(arrive)
  const [radio] = useState(() => (place?.page === 'player' ? createRadio() : null))
  useEffect(() => {
    const navigated = () => {
      const next = parsePath(location.pathname)
      if (next?.page === place?.page) setPlace(next)
      else location.reload()
    }
    addEventListener('popstate', navigated)
    return () => removeEventListener('popstate', navigated)
  }, [place])
  useEffect(() => {
    document.documentElement.lang = place?.locale ?? chosenLocale() ?? 'uk'
  }, [place])

  if (!place) return <NotFoundPage locale={chosenLocale() ?? 'uk'} />
  const { page, locale } = place
  const choose = (chosen: Locale) => {
    // The part of the panel may have changed since.
    const next = { ...(parsePath(location.pathname) ?? { page }), locale: chosen }
    chooseLocale(next)
    history.pushState(null, '', pathOf(next) + location.search)
    setPlace(next)
  }
  if (radio) return <ListenerPage radio={radio} locale={locale} onLocale={choose} />
  const props: PageProps = {
    locale,
    onLocale: choose,
    goTo: (next) => location.replace(pathOf({ page: next, locale })),
  }
  switch (page) {
    case 'guest':
      return <GuestPage {...props} />
    case 'adlogin':
      return <LoginPage {...props} />
    default:
      return <AdminPage {...props} />
  }
}

/** The page of the address; the bare Ukrainian one means English to somebody who chose that before. */
function arrive(): PageAddress | null {
  const place = parsePath(location.pathname)
  const chosen = place && chosenLocale(place.page)
  if (place?.locale !== 'uk' || !chosen || chosen === 'uk') return place
  const preferred = { ...place, locale: chosen }
  history.replaceState(null, '', pathOf(preferred) + location.search)
  return preferred
}
