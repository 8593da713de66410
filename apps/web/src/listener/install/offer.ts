import type { Radio } from '../../radio/radio.ts'
import { readStored, writeStored } from '../../ui/browser-storage.ts'
import { showOffer } from '../../ui/offers/offer.tsx'
import { pageLocale } from '../../ui/offers/page-locale.ts'
import { isRegular, parseListened, withSeconds } from './listened.ts'
import { installation } from './offer-of-browser.ts'

const LISTENED = 'radio_listened'
/** Remembered for good: it is offered once. */
const ANSWERED = 'radio_install'
const COUNT_EVERY_S = 15

const texts = {
  uk: { text: 'Додати станцію до застосунків цього пристрою?', action: 'Додати', dismiss: 'Не треба' },
  en: { text: 'Add the station to the apps of this device?', action: 'Add', dismiss: 'No, thanks' },
}

/** Counts how long is listened, and offers regulars once to install the station, where the browser can. */
export function offerInstallation({ sound }: Pick<Radio, 'sound'>): void {
  if (readStored(ANSWERED)) return
  let isShown = false
  const look = () => {
    if (isShown || readStored(ANSWERED) || !installation.value) return
    if (!isRegular(parseListened(readStored(LISTENED)))) return
    isShown = true
    showOffer({
      ...texts[pageLocale()],
      onAnswer(isTaken) {
        writeStored(ANSWERED, isTaken ? 'taken' : 'dismissed')
        if (isTaken) install()
      },
    })
  }
  const count = () => {
    if (sound.value.is !== 'playing') return
    const today = new Date().toISOString().slice(0, 10)
    const listened = withSeconds(parseListened(readStored(LISTENED)), COUNT_EVERY_S, today)
    writeStored(LISTENED, JSON.stringify(listened))
    look()
  }
  installation.subscribe(look)
  setInterval(count, COUNT_EVERY_S * 1000)
  look()
}

/** Lets the browser ask. Its offer can be taken once. */
export function install(): void {
  installation.value?.prompt().catch(() => {})
  installation.set(null)
}
