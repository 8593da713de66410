import './not-found-page.css'
import type { Locale } from '@solstice/contracts'
import { StillHorizon } from './listener/stage/horizon.tsx'
import { texts } from './texts.ts'
import { pathOf } from './ui/language/language.ts'

export function NotFoundPage({ locale }: { locale: Locale }) {
  const t = texts[locale]
  return (
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
  )
}
