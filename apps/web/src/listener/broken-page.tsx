import './sky-page.css'
import { apiUrl } from '../api.ts'
import { StillHorizon } from './stage/horizon.tsx'
import type { Texts } from './texts/texts.ts'

/** What is left when a component failed: the way back, and the broadcast itself where there is a public one. */
export function BrokenPage({ t, isStream }: { t: Texts; isStream: boolean }) {
  return (
    <main class="stage lost">
      <div class="sky" />
      <div class="rim">
        <StillHorizon sound="off" />
      </div>
      <section class="track" role="alert">
        <h1 class="title" data-size="m">
          {t.broken.title}
        </h1>
        <p class="byline">{t.broken.says}</p>
        <button type="button" class="button" onClick={() => location.reload()}>
          {t.broken.reload}
        </button>
        {isStream && <a href={apiUrl('/api/stream/public.mp3')}>{t.broken.stream}</a>}
      </section>
    </main>
  )
}
