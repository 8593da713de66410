import type { Locale } from '@solstice/contracts'
import { pathOf } from '../ui/language/language.ts'
import type { PageProps } from '../ui/loading/page-props.ts'
import { SkyPage } from './sky-page.tsx'

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
    <SkyPage {...{ locale, onLocale }} language={t.language} title={t.title}>
      <p class="byline">{t.says}</p>
      <a class="button" href={pathOf({ page: 'player', locale })}>
        {t.home}
      </a>
    </SkyPage>
  )
}
