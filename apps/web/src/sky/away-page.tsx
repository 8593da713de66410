import type { Locale } from '@solstice/contracts'
import { useEffect } from 'preact/hooks'
import { apiUrl } from '../api.ts'
import type { PageProps } from '../ui/loading/page-props.ts'
import { SkyPage } from './sky-page.tsx'

export const awayTexts: Record<Locale, { language: string; title: string; says: string; again: string }> = {
  uk: {
    language: 'Мова',
    title: 'Станція не відповідає.',
    says: 'Щойно вона повернеться, ця сторінка відкриється сама.',
    again: 'Спробувати зараз',
  },
  en: {
    language: 'Language',
    title: 'The station isn’t responding.',
    says: 'This page opens by itself as soon as the station is back.',
    again: 'Try now',
  },
}

/** A station that returns is asked by its listeners one after the other. */
const TRY_AFTER_MS = 4_000
const SPREAD_MS = 4_000

/** Stands in for any page while the station can't be reached; kept by the service worker. */
export function AwayPage({ locale, onLocale }: Pick<PageProps, 'locale' | 'onLocale'>) {
  useEffect(returnByItself, [])
  const t = awayTexts[locale]
  return (
    <SkyPage {...{ locale, onLocale }} language={t.language} title={t.title}>
      <p class="byline" role="status">
        {t.says}
      </p>
      <button type="button" class="button" onClick={comeBack}>
        {t.again}
      </button>
    </SkyPage>
  )
}

/** Opens the page of this address as soon as the station answers. */
function returnByItself(): () => void {
  let timer: ReturnType<typeof setTimeout>
  const look = async () => {
    const answer = await fetch(apiUrl('/healthz'), { cache: 'no-store' }).catch(() => null)
    if (answer?.ok) comeBack()
    else timer = setTimeout(look, TRY_AFTER_MS + Math.random() * SPREAD_MS)
  }
  timer = setTimeout(look, TRY_AFTER_MS)
  const online = () => {
    clearTimeout(timer)
    void look()
  }
  addEventListener('online', online)
  return () => {
    clearTimeout(timer)
    removeEventListener('online', online)
  }
}

function comeBack(): void {
  // Its own address has no other page to come back to.
  const own = /^(\/en)?\/away\/?$/.exec(location.pathname)
  if (own) location.replace(`${own[1] ?? ''}/`)
  else location.reload()
}
