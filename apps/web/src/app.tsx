import type { Locale } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { chooseLocale, chosenLocale, localeOfPath, pathOfLocale } from './language.ts'
import { ListenerPage } from './listener/listener-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import type { Radio } from './radio/radio.ts'

/** Decides by the address what is shown, and in which language. */
export function App({ createRadio }: { createRadio: () => Radio }) {
  const [locale, setLocale] = useState(arrive)
  const [radio] = useState(() => (locale ? createRadio() : null))
  useEffect(() => {
    const moved = () => setLocale(localeOfPath(location.pathname))
    addEventListener('popstate', moved)
    return () => removeEventListener('popstate', moved)
  }, [])
  useEffect(() => {
    document.documentElement.lang = locale ?? chosenLocale() ?? 'uk'
  }, [locale])

  if (!locale || !radio) return <NotFoundPage locale={chosenLocale() ?? 'uk'} />
  const choose = (next: Locale) => {
    chooseLocale(next)
    history.pushState(null, '', pathOfLocale(next) + location.search)
    setLocale(next)
  }
  return <ListenerPage radio={radio} locale={locale} onLocale={choose} />
}

/** Somebody who once chose English and opens the bare address means English. */
function arrive(): Locale | null {
  const ofPath = localeOfPath(location.pathname)
  const chosen = chosenLocale()
  if (ofPath !== 'uk' || !chosen || chosen === 'uk') return ofPath
  history.replaceState(null, '', pathOfLocale(chosen) + location.search)
  return chosen
}
