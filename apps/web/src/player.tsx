import { openPage } from './app.tsx'
import { isFromHistory, readArrival } from './arrival.ts'
import { keepInstallation } from './listener/install/offer-of-browser.ts'
import { ListenerPage } from './listener/listener-page.tsx'
import { preferences } from './listener/preferences/preferences.ts'
import { honourEarlyPress } from './listener/stage/early-press.ts'
import { loadedTexts, loadTexts } from './listener/texts/texts.ts'
import { createRadio } from './radio/radio.ts'

// Within the document, where the browser's own media controls find it.
const audio = document.createElement('audio')
audio.preload = 'none'
document.body.append(audio)

const radio = createRadio(audio, readArrival(), {
  isOld: isFromHistory(),
  quality: preferences.quality,
})
openPage(
  ({ locale, onLocale }) => (
    <ListenerPage radio={radio} locale={locale} texts={loadedTexts(locale)} onLocale={onLocale} />
  ),
  { load: loadTexts },
)
keepInstallation()
const forget = radio.sound.subscribe(({ is }) => {
  if (is !== 'playing') return
  forget()
  // Not before the first sound, which has the network to itself.
  import('./listener/install/offer.ts')
    .then(({ offerInstallation }) => offerInstallation(radio))
    .catch(() => {})
})
honourEarlyPress(radio.play)
