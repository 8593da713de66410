import './not-found-page.css'
import type { Locale } from '@solstice/contracts'
import { StillHorizon } from './listener/stage/horizon.tsx'
import { pathOf } from './ui/language/language.ts'
import { Languages } from './ui/language/languages.tsx'
import type { PageProps } from './ui/loading/page-props.ts'

export const lostTexts: Record<Locale, { language: string; title: string; says: string; home: string }> = {
  uk: {
    language: 'Мова',
    title: 'Тут лише небо.',
    says: 'Такої сторінки немає, але ефір зовсім поруч.',
    home: 'До ефіру',
  },
  en: {
    language: 'Language',
    title: 'Nothing here but sky.',
    says: 'This page doesn’t exist, but the radio is close by.',
    home: 'Back to the radio',
  },
}

export function NotFoundPage({ locale, onLocale }: Pick<PageProps, 'locale' | 'onLocale'>) {
  const t = lostTexts[locale]
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
            {t.title}
          </h1>
          <p class="byline">{t.says}</p>
          <a class="button" href={pathOf({ page: 'player', locale })}>
            {t.home}
          </a>
        </section>
      </main>
    </>
  )
}
