import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type Card, drawCard } from './card.ts'
import { readFont } from './font.ts'

/** Two modes in two languages, of the track on air and some before it: services come late. */
const MAX_PICTURES = 12

const FONT_FILE = fileURLToPath(new URL('../../assets/fonts/Lora-Regular.ttf', import.meta.url))

/** Pictures of shared links as PNG, each drawn once. */
export interface SharePictures {
  /** The picture's entity tag, known before it is drawn. */
  etagOf(card: Card): string
  /** Drawn by a thread of its own; only its packing as PNG, about 20 ms, holds the process up. */
  draw(card: Card): Promise<Buffer>
}

export function createSharePictures(): SharePictures {
  const font = readFont(FONT_FILE, 'Lora')
  const pictures = new Map<string, Promise<Buffer>>()
  let last: Promise<unknown> = Promise.resolve()

  const render = async (svg: string) => {
    // Only when it is needed: a replica without visitors from elsewhere never loads it.
    const { renderAsync } = await import('@resvg/resvg-js')
    const image = await renderAsync(svg, {
      font: { fontFiles: [font.file], loadSystemFonts: false, defaultFontFamily: font.family },
      logLevel: 'off',
    })
    return image.asPng()
  }

  return {
    etagOf: (card) => `"${versionOf(card)}"`,
    draw(card) {
      const version = versionOf(card)
      const known = pictures.get(version)
      if (known) return known
      // One after another, so that no crowd takes all threads.
      const picture = last.then(() => render(drawCard(card, font)))
      last = picture.catch(() => {})
      pictures.set(version, picture)
      picture.catch(() => pictures.delete(version))
      if (pictures.size > MAX_PICTURES) pictures.delete(pictures.keys().next().value!)
      return picture
    },
  }
}

/** A short text that differs from card to card. */
export function versionOf({ mode, lang, station, song }: Card): string {
  const facts = JSON.stringify([DESIGN, mode, lang, station, song?.title, song?.artist])
  return createHash('sha256').update(facts).digest('base64url').slice(0, 16)
}

/** To be raised when cards are drawn otherwise, so that copies elsewhere become old. */
const DESIGN = 1
