import { get, type IncomingMessage } from 'node:http'
import { frameBytes, isHeaderPage, readOggPage, sleep } from '@solstice/station'
import type { Teardown } from '../../processes/processes.ts'
import { waiting } from '../../until.ts'

/** Finds a whole frame at the begin of some bytes, or a page of several; `isOwn` when no other listener gets it. */
export type Cut = (bytes: Buffer) => { length: number; frames: number; isOwn: boolean } | null

/** Frames whose lengths are in their heads. */
export const framesWith =
  (lengthAt: typeof frameBytes): Cut =>
  (bytes) => {
    const length = lengthAt(bytes, 0)
    return length && length <= bytes.length ? { length, frames: 1, isOwn: false } : null
  }

/** Pages of Ogg; header pages are of this listener where it begins and where it goes on in a logical stream. */
export function pagesOfOgg(): Cut {
  let serial: number | null = null
  return (bytes) => {
    const page = readOggPage(bytes, 0)
    if (page === null || page === 'more') return null
    const isHeader = isHeaderPage(page)
    const isOwn = isHeader && (serial === null || serial === page.serial)
    if (!isHeader) serial = page.serial
    return { length: page.end, frames: isHeader ? 0 : page.packets.length, isOwn }
  }
}

/** How a player went on after it was cut off. */
export interface Resumption {
  /** The frame that it asked for, and the one with which the reply began. */
  asked: number
  got: number
  /** From the cut to the next whole frame. */
  afterMs: number
}

/**
 * A player that counts whole frames received, and resumes at the next frame whenever it is cut off. Many of them are cheap when
 * they don't keep the sound.
 */
export function openPlayer(
  t: Teardown,
  url: string,
  { cut = framesWith(frameBytes), keepsSound = true }: { cut?: Cut; keepsSound?: boolean } = {},
) {
  const parts: Buffer[] = []
  let frames = 0
  const resumed: Resumption[] = []
  let cutOffAtMs = 0
  /** Bytes of the last, incomplete frame at each cut. */
  const leftOver: number[] = []
  let head: IncomingMessage['headers'] = {}
  let first = 0
  let current: IncomingMessage | null = null
  let isOver = false
  const heard = waiting()

  const ask = (address: string) =>
    new Promise<IncomingMessage | null>((resolve) => {
      get(address, { agent: false }, resolve).once('error', () => resolve(null))
    })
  const hear = async (response: IncomingMessage, asked: number) => {
    const before = frames
    let isResuming = before > 0
    let rest: Buffer = Buffer.alloc(0)
    for await (const bytes of response) {
      rest = Buffer.concat([rest, bytes as Buffer])
      for (let part = cut(rest); part; part = cut(rest)) {
        if (keepsSound && !part.isOwn) parts.push(rest.subarray(0, part.length))
        frames += part.frames
        rest = rest.subarray(part.length)
      }
      if (isResuming && frames > before) {
        isResuming = false
        const got = Number(response.headers['x-stream-frame'])
        resumed.push({ asked, got, afterMs: performance.now() - cutOffAtMs })
      }
      heard.changed()
    }
    leftOver.push(rest.length)
  }
  const playing = (async () => {
    while (!isOver) {
      const next = first + frames
      const response = await ask(frames > 0 ? `${url}?from=${next}` : url)
      if (response?.statusCode !== 200) {
        response?.resume()
        await sleep(50)
        continue
      }
      current = response
      head = response.headers
      if (frames === 0) first = Number(head['x-stream-frame'])
      await hear(response, next).catch(() => {})
      cutOffAtMs = performance.now()
    }
  })()
  t.teardown(async () => {
    isOver = true
    current?.destroy()
    await playing
  })
  return {
    resumed,
    leftOver,
    get head() {
      return head
    },
    get audio() {
      return Buffer.concat(parts)
    },
    async more(count: number) {
      const wanted = frames + count
      await heard.until(`${count} more frames`, () => frames >= wanted)
    },
  }
}

/** More than a burst, and several titles. */
const BEGINNING_BYTES = 100_000

/** The beginning of a stream, as a player gets it that knows titles. */
export async function beginningOf(url: string) {
  const { headers, body } = await fetch(url, { headers: { 'icy-metadata': '1' } })
  const reader = body!.getReader()
  let bytes = Buffer.alloc(0)
  while (bytes.length < BEGINNING_BYTES) bytes = Buffer.concat([bytes, (await reader.read()).value!])
  await reader.cancel()
  const frame = headers.get('x-stream-frame')
  return { frame, hasTitles: headers.has('icy-metaint'), bytes: bytes.subarray(0, BEGINNING_BYTES) }
}
