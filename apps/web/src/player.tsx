import { openPage } from './app.tsx'
import { isFromHistory, readArrival } from './arrival.ts'
import { ListenerPage } from './listener/listener-page.tsx'
import { loadedTexts, loadTexts } from './listener/texts/texts.ts'
import { createRadio } from './radio/radio.ts'
import { keepForOffline } from './ui/keep-for-offline.ts'

// Within the document, where the browser's own media controls find it.
const audio = document.createElement('audio')
audio.preload = 'none'
document.body.append(audio)

const radio = createRadio(audio, readArrival(), isFromHistory())
openPage(
  ({ locale, onLocale }) => (
    <ListenerPage radio={radio} locale={locale} texts={loadedTexts(locale)} onLocale={onLocale} />
  ),
  { load: loadTexts },
)
keepForOffline()
