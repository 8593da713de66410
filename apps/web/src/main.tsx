import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/page.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { createRadio } from './radio/radio.ts'
import { applyTheme, rememberedMode } from './ui/theme.ts'

applyTheme(rememberedMode())

// Within the document, where the browser's own media controls find it.
const audio = document.createElement('audio')
audio.preload = 'none'
document.body.append(audio)

render(<App createRadio={() => createRadio(audio)} />, document.getElementById('page')!)

if ('serviceWorker' in navigator && import.meta.env.PROD)
  navigator.serviceWorker.register('/sw.js').catch(() => {})
