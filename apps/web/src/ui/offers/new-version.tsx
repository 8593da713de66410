import { showOffer } from './offer.tsx'
import { pageLocale } from './page-locale.ts'

const texts = {
  uk: { text: 'Є нова версія сторінки.', action: 'Перезавантажити', dismiss: 'Пізніше' },
  en: { text: 'A new version is here.', action: 'Reload', dismiss: 'Later' },
}

let offered: ServiceWorker | null = null

/** Offers a version that waits. Nothing is interrupted before the press; other tabs go on as they are. */
export function offerVersion(waiting: ServiceWorker): void {
  if (offered === waiting) return
  offered = waiting
  showOffer({
    ...texts[pageLocale()],
    onAnswer(isTaken) {
      if (!isTaken) return
      navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
      waiting.postMessage('activate')
    },
  })
}
