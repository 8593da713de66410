import './ui/loading/older-browsers.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/page.css'
import type { Locale, Mode } from '@solstice/contracts'
import { type ComponentType, render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import {
  chooseLocale,
  chosenLocale,
  localeOf,
  type PageAddress,
  parsePath,
  pathOf,
  tellLanguage,
} from './ui/language/language.ts'
import type { PageProps } from './ui/loading/page-props.ts'
import { tellPlacedStyles } from './ui/loading/placed-styles.ts'
import { registerWorker } from './ui/loading/service-worker.ts'
import { openTheme } from './ui/theme.ts'

// Before any part is fetched, and the stream is one.
tellPlacedStyles()

const RETRY_MS = 3_000

interface PageOptions {
  /** A look that was chosen; else that of the air. */
  mode?: Mode
  /** Fetches what the page needs in a language, before it is shown in it. */
  load?: (locale: Locale) => Promise<void>
}

/** Draws the page of this document over what the station sent of it. */
export async function openPage(Page: ComponentType<PageProps>, options: PageOptions = {}): Promise<void> {
  const { mode, load = async () => {} } = options
  openTheme(mode)
  const place = arrive()
  // What the station sent stays in sight meanwhile.
  while (!(await load(place.locale).then(isDone, isFailed)))
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  // `hydrate` would leave attributes as they are, and some are known here only: the volume, or a chosen language.
  render(<App Page={Page} arrival={place} load={load} />, document.getElementById('page')!)
  registerWorker()
}

const isDone = () => true
const isFailed = () => false

interface AppProps {
  Page: ComponentType<PageProps>
  arrival: PageAddress
  load: (locale: Locale) => Promise<void>
}

/**
 * Follows the address. The language may change within a document; another page is another document, so that each has the
 * browser's sound and microphone to itself, and the scripts of one page are not fetched for another.
 */
function App({ Page, arrival, load }: AppProps) {
  const [place, setPlace] = useState(arrival)
  const wanted = useRef(place)
  /** Moves on once the language is here; the one in sight stays until then. */
  const moveTo = (next: PageAddress, move: () => void) => {
    wanted.current = next
    load(next.locale).then(
      () => wanted.current === next && move(),
      () => location.assign(pathOf(next) + location.search),
    )
  }
  useEffect(() => {
    const navigated = () => {
      const next = parsePath(location.pathname)
      if (next && next.page === place.page) moveTo(next, () => setPlace(next))
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
    moveTo(next, () => {
      if (here) history.pushState(null, '', pathOf(next) + location.search)
      setPlace(next)
    })
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
  tellLanguage(preferred.page, chosen)
  if (place) history.replaceState(null, '', pathOf(preferred) + location.search)
  return preferred
}
