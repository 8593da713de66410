import { createReadStream, createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { minuteOfFrames, uploadTrack } from '../../../tests/harness/people/uploads.ts'
import { type Teardown, temporaryFolder } from '../../../tests/harness/processes/processes.ts'
import { usageOf } from '../usage.ts'

const MB = 1024 * 1024
export const UPLOAD_MB = 80

export interface UploadFigures {
  /** Rate of copying as many files of that size at once, each flushed to disk, MB/s. */
  copiedPerS: number
  /** Rate until the last upload is answered: written, flushed and measured, MB/s. */
  uploadedPerS: number
  /** Maximum growth of the API. */
  grownKb: number
}

/** Uploads a number of tracks at once to an API, after copying as many files on the same disk. */
export async function measureUploads(
  run: Teardown,
  api: { url: string; pid: number; token: string },
  count: number,
): Promise<UploadFigures> {
  const [folder, piece] = await Promise.all([temporaryFolder(run), minuteOfFrames(run)])
  const bytes = UPLOAD_MB * MB
  const all = Array.from({ length: count }, (_, i) => `${i + 1} of ${count}.mp3`)
  const original = join(folder, 'original')
  const pieces = Array(Math.ceil(bytes / piece.length)).fill(piece)
  await writeFile(original, Buffer.concat(pieces).subarray(0, bytes))

  const copied = all.map((name) => join(folder, name))
  const copiedPerS = await rate(count, async () => {
    await Promise.all(
      copied.map((path) => pipeline(createReadStream(original), createWriteStream(path, { flush: true }))),
    )
  })
  await Promise.all([original, ...copied].map((path) => rm(path)))

  const idleKb = (await usageOf(api.pid)).rssKb
  let mostKb = idleKb
  const watching = setInterval(async () => {
    mostKb = Math.max(mostKb, (await usageOf(api.pid)).rssKb)
  }, 50)
  const uploadedPerS = await rate(count, async () => {
    for (const { status, body } of await Promise.all(
      all.map((name) => uploadTrack(api.url, api.token, name, piece, bytes)),
    ))
      if (status !== 200) throw new Error(`an upload was answered ${status}: ${body}`)
  })
  clearInterval(watching)
  return { copiedPerS, uploadedPerS, grownKb: mostKb - idleKb }
}

/** Rate at which `move` moves the files, MB/s. */
async function rate(count: number, move: () => Promise<void>): Promise<number> {
  const startedAtMs = performance.now()
  await move()
  return (count * UPLOAD_MB) / ((performance.now() - startedAtMs) / 1000)
}
