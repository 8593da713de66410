import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { makeTone } from '../audio/audio.ts'
import { type Teardown, temporaryFolder } from '../processes/processes.ts'

/** A file as a file chooser takes it. */
export interface ChosenFile {
  name: string
  mimeType: string
  buffer: Buffer
}

interface Tags {
  title?: string
  artist?: string
  album?: string
}

/** Makes MP3 files as a file chooser or a drop would give them. */
export async function openFileMaker(t: Teardown) {
  const folder = await temporaryFolder(t)
  return async (
    name: string,
    { hz = 440, seconds = 2, ...tags }: Tags & { hz?: number; seconds?: number } = {},
  ): Promise<ChosenFile> => {
    const path = join(folder, name)
    await makeTone(path, { hz, seconds, ...tags })
    return { name, mimeType: 'audio/mpeg', buffer: await readFile(path) }
  }
}

/** Drops files somewhere in the page, as a person does from a folder. */
export async function dropFiles(page: Page, selector: string, files: readonly ChosenFile[]): Promise<void> {
  const data = files.map(({ name, buffer }) => ({ name, base64: buffer.toString('base64') }))
  const transfer = await page.evaluateHandle((sent) => {
    const made = new DataTransfer()
    for (const { name, base64 } of sent) {
      const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
      made.items.add(new File([bytes], name, { type: name.endsWith('.mp3') ? 'audio/mpeg' : '' }))
    }
    return made
  }, data)
  await page.dispatchEvent(selector, 'dragover', { dataTransfer: transfer })
  await page.locator('.drop-layer').waitFor()
  await page.dispatchEvent(selector, 'drop', { dataTransfer: transfer })
}
