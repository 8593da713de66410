import type { Locale } from '@solstice/contracts'
import { Arc, Light } from './listener/horizon.tsx'
import { texts } from './texts.ts'
import { pathOf } from './ui/language.ts'

/** No such page: says so, and shows the way home. */
export function NotFoundPage({ locale }: { locale: Locale }) {
  const t = texts[locale]
  return (
    <main class="stage lost">
      <div class="sky" />
      <div class="rim">
        <div class="horizon" data-sound="off">
          <Arc />
          <Light />
        </div>
      </div>
      <section class="song">
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
