import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/page.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { readArrival } from './arrival.ts'
import { createRadio } from './radio/radio.ts'
import { openTheme } from './ui/theme.ts'

openTheme()

// Within the document, where the browser's own media controls find it.
const audio = document.createElement('audio')
audio.preload = 'none'
document.body.append(audio)

const arrival = readArrival()
// `hydrate` would leave attributes as they are; what is known here only, such as the volume, must be drawn too.
render(<App createRadio={() => createRadio(audio, arrival)} />, document.getElementById('page')!)

if ('serviceWorker' in navigator && import.meta.env.PROD)
  navigator.serviceWorker.register('/sw.js').catch(() => {})
