import { access } from 'node:fs/promises'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
import type { Teardown } from '../processes/processes.ts'

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
  return chromium.launch(await withChromium(options))
}

/** Launches one for many processes: each connects to the address, and has pages that nobody else sees. */
export async function shareChromium(t: Teardown): Promise<{ TEST_CHROMIUM: string }> {
  const server = await chromium.launchServer(await withChromium())
  t.teardown(() => server.close())
  return { TEST_CHROMIUM: server.wsEndpoint() }
}

/** The shared one of this run, or one of its own. */
export async function openChromium(): Promise<Browser> {
  const shared = process.env.TEST_CHROMIUM
  return shared ? chromium.connect(shared) : launchChromium()
}

/** @throws when there is no Chromium on this machine. */
async function withChromium(options: LaunchOptions = {}): Promise<LaunchOptions> {
  for (const executablePath of browsers) {
    const isThere = await access(executablePath).then(
      () => true,
      () => false,
    )
    if (isThere) return { executablePath, ...options, args: [...chromiumFlags, ...(options.args ?? [])] }
  }
  throw new Error(`No Chromium at ${browsers.filter(Boolean).join(', ')}; CHROMIUM_PATH may name one`)
}
