import '../listener/sky-page.css'
import type { Locale } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { StillHorizon } from '../listener/stage/horizon.tsx'
import { Languages } from '../ui/language/languages.tsx'

/** A page with a still horizon and a few words under it. */
export function SkyPage(props: {
  locale: Locale
  onLocale: (locale: Locale) => void
  /** Label of the choice of languages. */
  language: string
  title: string
  children: ComponentChildren
}) {
  const { locale, onLocale, language, title, children } = props
  return (
    <>
      <header class="header">
        <div class="header-right">
          <Languages page="player" locale={locale} label={language} onLocale={onLocale} />
        </div>
      </header>
      <main class="stage lost">
        <div class="sky" />
        <div class="rim">
          <StillHorizon sound="off" />
        </div>
        <section class="track">
          <h1 class="title" data-size="m">
            {title}
          </h1>
          {children}
        </section>
      </main>
    </>
  )
}
