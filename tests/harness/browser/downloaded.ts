import { buffer } from 'node:stream/consumers'
import type { Locator, Page } from 'playwright-core'

/** Clicks what a file is downloaded with. @returns its name and content. */
export async function downloaded(page: Page, clicked: Locator): Promise<{ name: string; content: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), clicked.click()])
  // A shared browser has no files that a test could open.
  return { name: download.suggestedFilename(), content: await buffer(await download.createReadStream()) }
}
