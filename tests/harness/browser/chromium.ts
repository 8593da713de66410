import { access } from 'node:fs/promises'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

const chromiumFlags = [
  '--no-sandbox',
  '--autoplay-policy=no-user-gesture-required',
  // Replaces the microphone that test machines lack, and needs no permission.
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Names under which operating systems install the browser. */
const browsers = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Launches the Chromium of this machine. */
export async function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  for (const executablePath of browsers) {
    const isThere = await access(executablePath).then(
      () => true,
      () => false,
    )
    if (isThere)
      return chromium.launch({
        executablePath,
        ...options,
        args: [...chromiumFlags, ...(options.args ?? [])],
      })
  }
  throw new Error(`No Chromium at ${browsers.filter(Boolean).join(', ')}; CHROMIUM_PATH may name one`)
}
