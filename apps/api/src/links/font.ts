import { readFileSync } from 'node:fs'

/** The measures of a TrueType font, to break lines with. */
export interface Font {
  readonly file: string
  readonly family: string
  has(character: string): boolean
  /** Width in em, without kerning; characters that the font lacks have none. */
  widthOf(text: string): number
}

/** @throws when the file is not a font whose characters all lie in the basic plane. */
export function readFont(file: string, family: string): Font {
  const bytes = readFileSync(file)
  const tables = new Map<string, number>()
  for (let i = 0; i < bytes.readUInt16BE(4); i++) {
    const at = 12 + 16 * i
    tables.set(bytes.toString('latin1', at, at + 4), bytes.readUInt32BE(at + 8))
  }
  const table = (name: string) => {
    const at = tables.get(name)
    if (at === undefined) throw new Error(`${file}: no table ${name}`)
    return at
  }
  const unitsPerEm = bytes.readUInt16BE(table('head') + 18)
  const metrics = bytes.readUInt16BE(table('hhea') + 34)
  const hmtx = table('hmtx')
  const advanceOf = (glyph: number) =>
    bytes.readUInt16BE(hmtx + 4 * Math.min(glyph, metrics - 1)) / unitsPerEm
  const widths = new Map<string, number>()
  for (const [code, glyph] of glyphsOf(bytes, table('cmap')))
    widths.set(String.fromCharCode(code), advanceOf(glyph))

  return {
    file,
    family,
    has: (character) => widths.has(character),
    widthOf: (text) => [...text].reduce((sum, character) => sum + (widths.get(character) ?? 0), 0),
  }
}

/** Character codes and glyphs of the first subtable in format 4, which every font for the basic plane has. */
function* glyphsOf(bytes: Buffer, cmap: number): Generator<[code: number, glyph: number]> {
  const offsets = Array.from({ length: bytes.readUInt16BE(cmap + 2) }, (_, i) =>
    bytes.readUInt32BE(cmap + 8 + 8 * i),
  )
  const at = cmap + (offsets.find((offset) => bytes.readUInt16BE(cmap + offset) === 4) ?? Number.NaN)
  const segments = bytes.readUInt16BE(at + 6) / 2
  const ends = at + 14
  const starts = ends + 2 * segments + 2
  const deltas = starts + 2 * segments
  const ranges = deltas + 2 * segments
  for (let i = 0; i < 2 * segments; i += 2) {
    const start = bytes.readUInt16BE(starts + i)
    const end = Math.min(bytes.readUInt16BE(ends + i), 0xfffe)
    const delta = bytes.readUInt16BE(deltas + i)
    const range = bytes.readUInt16BE(ranges + i)
    for (let code = start; code <= end; code++) {
      const listed = range === 0 ? code : bytes.readUInt16BE(ranges + i + range + 2 * (code - start))
      const glyph = listed === 0 ? 0 : (listed + delta) & 0xffff
      if (glyph !== 0) yield [code, glyph]
    }
  }
}
