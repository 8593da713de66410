import './not-found-page.css'
import { StillHorizon } from './listener/stage/horizon.tsx'
import { texts } from './texts.ts'
import { pathOf } from './ui/language/language.ts'
import { Languages } from './ui/language/languages.tsx'
import type { PageProps } from './ui/page-props.ts'

export function NotFoundPage({ locale, onLocale }: Pick<PageProps, 'locale' | 'onLocale'>) {
  const t = texts[locale]
  return (
    <>
      <header class="header">
        <div class="header-right">
          <Languages page="player" locale={locale} label={t.language} onLocale={onLocale} />
        </div>
      </header>
      <main class="stage lost">
        <div class="sky" />
        <div class="rim">
          <StillHorizon sound="off" />
        </div>
        <section class="track">
          <h1 class="title" data-size="m">
            {t.notFound}
          </h1>
          <p class="byline">{t.notFoundText}</p>
          <a class="button" href={pathOf({ page: 'player', locale })}>
            {t.home}
          </a>
        </section>
      </main>
    </>
  )
}
