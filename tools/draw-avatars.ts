/**
 * Draws the avatars of the roster, each a small horizon, and makes the icons of the installed page from one of them:
 * `node --import tsx tools/draw-avatars.ts`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'

const AVATAR_SIZE = 128
const ICON_SIZES = [192, 512]
/** Each pixel is the mean of this number squared of samples, for smooth edges. */
const SAMPLES = 4

/** True when a point of the unit square (y down) lies in the shape. */
type Shape = (x: number, y: number) => boolean
type Colour = keyof typeof palette
/** Painted in order, later over earlier. */
type Picture = { sky: Colour; layers: [Shape, Colour][] }

/** The tokens of the two themes and a few mixtures of them. */
const palette = {
  paper: 0xf6efe2,
  sand: 0xe9dcc3,
  clay: 0xd8cbb2,
  stone: 0x6b6356,
  earth: 0x3a332a,
  sun: 0xd9801e,
  amber: 0xe8a95c,
  glow: 0xf0cb98,
  ink: 0x10131f,
  night: 0x1b2033,
  slate: 0x2b3147,
  mist: 0x4a5273,
  haze: 0x9a9db0,
  moon: 0xc9d4ff,
  pearl: 0xece8df,
}

const disc =
  (cx: number, cy: number, r: number): Shape =>
  (x, y) =>
    Math.hypot(x - cx, y - cy) < r
const ring = (cx: number, cy: number, r: number, width: number): Shape =>
  without(disc(cx, cy, r), disc(cx, cy, r - width))
const below =
  (level: number): Shape =>
  (_, y) =>
    y > level
const rolling =
  (level: number, height: number, waves: number, shift = 0): Shape =>
  (x, y) =>
    y > level - height * Math.sin((x * waves + shift) * Math.PI)
const peak =
  (top: number, at: number, slope: number): Shape =>
  (x, y) =>
    y > top + Math.abs(x - at) * slope
const box =
  (x0: number, y0: number, x1: number, y1: number): Shape =>
  (x, y) =>
    x > x0 && x < x1 && y > y0 && y < y1
const triangle =
  (cx: number, top: number, bottom: number, halfWidth: number): Shape =>
  (x, y) =>
    y > top && y < bottom && Math.abs(x - cx) < (halfWidth * (y - top)) / (bottom - top)
/** A line with round ends. */
const stroke =
  (x0: number, y0: number, x1: number, y1: number, width: number): Shape =>
  (x, y) => {
    const along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / ((x1 - x0) ** 2 + (y1 - y0) ** 2)
    const t = Math.min(1, Math.max(0, along))
    return Math.hypot(x - x0 - t * (x1 - x0), y - y0 - t * (y1 - y0)) < width / 2
  }
/** A four-pointed star with thin points. */
const star =
  (cx: number, cy: number, r: number): Shape =>
  (x, y) =>
    Math.sqrt(Math.abs(x - cx)) + Math.sqrt(Math.abs(y - cy)) < Math.sqrt(r)
const any =
  (...shapes: Shape[]): Shape =>
  (x, y) =>
    shapes.some((shape) => shape(x, y))
const both =
  (a: Shape, b: Shape): Shape =>
  (x, y) =>
    a(x, y) && b(x, y)
function without(a: Shape, b: Shape): Shape {
  return (x, y) => a(x, y) && !b(x, y)
}
const above = (level: number, shape: Shape): Shape => without(shape, below(level))
const swallow = (cx: number, cy: number, span: number): Shape =>
  without(
    any(disc(cx - span / 2, cy, span / 2), disc(cx + span / 2, cy, span / 2)),
    any(
      disc(cx - span / 2, cy + span / 7, span / 2),
      disc(cx + span / 2, cy + span / 7, span / 2),
      below(cy),
    ),
  )
const spark = (points: [number, number][], r: number): Shape => any(...points.map(([x, y]) => disc(x, y, r)))

const pictures: Record<string, Picture> = {
  dawn: {
    sky: 'paper',
    layers: [
      [above(0.66, disc(0.5, 0.66, 0.42)), 'sand'],
      [above(0.66, disc(0.5, 0.66, 0.31)), 'glow'],
      [above(0.66, disc(0.5, 0.66, 0.2)), 'sun'],
      [below(0.66), 'stone'],
    ],
  },
  noon: {
    sky: 'sand',
    layers: [
      [ring(0.5, 0.4, 0.31, 0.025), 'amber'],
      [disc(0.5, 0.4, 0.22), 'sun'],
      [rolling(0.82, 0.03, 2), 'clay'],
    ],
  },
  dusk: {
    sky: 'amber',
    layers: [
      [disc(0.34, 0.62, 0.2), 'paper'],
      [rolling(0.66, 0.07, 1.4, 0.7), 'sun'],
      [rolling(0.8, 0.05, 1.7), 'earth'],
    ],
  },
  crescent: {
    sky: 'night',
    layers: [
      [without(disc(0.48, 0.46, 0.28), disc(0.6, 0.38, 0.25)), 'moon'],
      [below(0.84), 'ink'],
    ],
  },
  'full-moon': {
    sky: 'slate',
    layers: [
      [disc(0.5, 0.42, 0.27), 'pearl'],
      [spark([[0.42, 0.36]], 0.06), 'clay'],
      [spark([[0.58, 0.5]], 0.04), 'clay'],
      [rolling(0.74, 0.08, 1.2), 'night'],
    ],
  },
  'morning-star': {
    sky: 'mist',
    layers: [
      [star(0.5, 0.36, 0.3), 'pearl'],
      [below(0.76), 'glow'],
      [rolling(0.84, 0.05, 1.5, 0.4), 'night'],
    ],
  },
  hills: {
    sky: 'paper',
    layers: [
      [disc(0.7, 0.3, 0.11), 'sun'],
      [rolling(0.56, 0.12, 1.3, 0.2), 'clay'],
      [rolling(0.7, 0.1, 1.5, 1), 'haze'],
      [rolling(0.84, 0.07, 1.2), 'stone'],
    ],
  },
  peaks: {
    sky: 'sand',
    layers: [
      [peak(0.34, 0.26, 1.3), 'haze'],
      [peak(0.42, 0.8, 1.3), 'haze'],
      [peak(0.24, 0.52, 1.35), 'mist'],
      [both(peak(0.24, 0.52, 1.35), above(0.38, below(0))), 'paper'],
    ],
  },
  'moon-path': {
    sky: 'night',
    layers: [
      [disc(0.5, 0.3, 0.16), 'moon'],
      [below(0.54), 'ink'],
      [box(0.42, 0.58, 0.58, 0.61), 'moon'],
      [box(0.36, 0.67, 0.64, 0.7), 'moon'],
      [box(0.3, 0.76, 0.7, 0.79), 'mist'],
      [box(0.22, 0.86, 0.78, 0.89), 'mist'],
    ],
  },
  waves: {
    sky: 'paper',
    layers: [
      [rolling(0.42, 0.05, 4), 'haze'],
      [rolling(0.6, 0.05, 4, 1), 'mist'],
      [rolling(0.78, 0.05, 4), 'slate'],
    ],
  },
  tide: {
    sky: 'moon',
    layers: [
      [disc(0.28, 0.28, 0.13), 'pearl'],
      [rolling(0.52, 0.16, 1.05, 0.25), 'mist'],
      [rolling(0.74, 0.1, 1.3, 1.1), 'slate'],
    ],
  },
  lighthouse: {
    sky: 'slate',
    layers: [
      [(x, y) => x < 0.66 && Math.abs(y - 0.33) < (0.66 - x) * 0.24, 'glow'],
      [without(triangle(0.7, -0.6, 0.84, 0.13), above(0.36, below(-1))), 'pearl'],
      [box(0.64, 0.27, 0.76, 0.37), 'sun'],
      [rolling(0.84, 0.04, 1), 'ink'],
    ],
  },
  meadow: {
    sky: 'glow',
    layers: [
      [rolling(0.62, 0.04, 1), 'amber'],
      [
        any(
          ...[0.18, 0.34, 0.5, 0.66, 0.82].map((x, i) =>
            stroke(x, 0.92, x + 0.03, 0.5 + (i % 2) * 0.1, 0.025),
          ),
        ),
        'earth',
      ],
      [
        spark(
          [0.18, 0.34, 0.5, 0.66, 0.82].map((x, i) => [x + 0.03, 0.48 + (i % 2) * 0.1]),
          0.06,
        ),
        'paper',
      ],
    ],
  },
  pines: {
    sky: 'clay',
    layers: [
      [disc(0.66, 0.34, 0.14), 'paper'],
      [any(triangle(0.3, 0.22, 0.86, 0.2), triangle(0.78, 0.4, 0.86, 0.16)), 'stone'],
      [triangle(0.54, 0.34, 0.86, 0.18), 'earth'],
      [below(0.84), 'earth'],
    ],
  },
  dew: {
    sky: 'pearl',
    layers: [
      [any(disc(0.5, 0.56, 0.22), triangle(0.5, 0.12, 0.5, 0.21)), 'haze'],
      [both(disc(0.5, 0.56, 0.22), below(0.56)), 'mist'],
      [disc(0.42, 0.48, 0.045), 'paper'],
    ],
  },
  comet: {
    sky: 'ink',
    layers: [
      [(x, y) => x + y < 1.08 && x > 0.08 && Math.abs(y - x * 0.9 + 0.04) < (x - 0.08) * 0.16, 'mist'],
      [disc(0.6, 0.5, 0.12), 'glow'],
      [
        spark(
          [
            [0.8, 0.2],
            [0.24, 0.62],
            [0.84, 0.74],
            [0.46, 0.84],
          ],
          0.018,
        ),
        'moon',
      ],
    ],
  },
  eclipse: {
    sky: 'night',
    layers: [
      [disc(0.5, 0.46, 0.33), 'slate'],
      [disc(0.5, 0.46, 0.27), 'sun'],
      [disc(0.53, 0.44, 0.245), 'ink'],
    ],
  },
  rainbow: {
    sky: 'paper',
    layers: [
      [disc(0.5, 0.76, 0.44), 'sun'],
      [disc(0.5, 0.76, 0.37), 'glow'],
      [disc(0.5, 0.76, 0.3), 'haze'],
      [disc(0.5, 0.76, 0.23), 'paper'],
      [below(0.76), 'clay'],
    ],
  },
  cloud: {
    sky: 'glow',
    layers: [
      [disc(0.66, 0.38, 0.16), 'sun'],
      [
        any(
          disc(0.34, 0.58, 0.14),
          disc(0.52, 0.5, 0.18),
          disc(0.68, 0.6, 0.12),
          box(0.34, 0.58, 0.68, 0.72),
        ),
        'paper',
      ],
    ],
  },
  rain: {
    sky: 'haze',
    layers: [
      [
        any(
          ...[0.1, 0.3, 0.5, 0.7, 0.9].map((x, i) =>
            stroke(x, 0.14 + (i % 2) * 0.14, x - 0.07, 0.36 + (i % 2) * 0.14, 0.03),
          ),
        ),
        'pearl',
      ],
      [
        any(
          ...[0.2, 0.4, 0.6, 0.8].map((x, i) =>
            stroke(x, 0.46 + (i % 2) * 0.06, x - 0.07, 0.66 + (i % 2) * 0.06, 0.03),
          ),
        ),
        'pearl',
      ],
      [rolling(0.84, 0.03, 3), 'slate'],
    ],
  },
  snow: {
    sky: 'mist',
    layers: [
      [
        spark(
          [
            [0.2, 0.2],
            [0.5, 0.14],
            [0.8, 0.24],
            [0.34, 0.38],
            [0.66, 0.42],
            [0.14, 0.52],
            [0.86, 0.56],
            [0.48, 0.6],
          ],
          0.035,
        ),
        'paper',
      ],
      [rolling(0.76, 0.06, 1.2, 0.3), 'pearl'],
    ],
  },
  island: {
    sky: 'sand',
    layers: [
      [disc(0.5, 0.36, 0.14), 'amber'],
      [above(0.62, disc(0.5, 0.78, 0.32)), 'earth'],
      [below(0.62), 'mist'],
      [box(0.3, 0.72, 0.7, 0.745), 'haze'],
      [box(0.38, 0.82, 0.62, 0.845), 'haze'],
    ],
  },
  footbridge: {
    sky: 'moon',
    layers: [
      [below(0.7), 'mist'],
      [above(0.72, ring(0.5, 0.82, 0.44, 0.07)), 'night'],
      [above(0.72, any(...[0.26, 0.42, 0.58, 0.74].map((x) => stroke(x, 0.34, x, 0.6, 0.025)))), 'night'],
      [above(0.36, ring(0.5, 0.72, 0.44, 0.03)), 'night'],
    ],
  },
  dunes: {
    sky: 'glow',
    layers: [
      [disc(0.3, 0.28, 0.1), 'paper'],
      [(x, y) => y > 0.5 + (x - 0.45) ** 2 * 0.7, 'amber'],
      [(x, y) => y > 0.72 - x * x * 0.34, 'sun'],
      [(x, y) => y > 0.78 + (x - 0.2) * 0.16, 'stone'],
    ],
  },
  sail: {
    sky: 'paper',
    layers: [
      [both(triangle(0.52, 0.16, 0.66, 0.3), (x) => x > 0.53), 'sun'],
      [both(triangle(0.5, 0.26, 0.66, 0.24), (x) => x < 0.49), 'stone'],
      [rolling(0.72, 0.025, 3), 'mist'],
    ],
  },
  swallows: {
    sky: 'amber',
    layers: [
      [disc(0.5, 0.98, 0.34), 'paper'],
      [any(swallow(0.34, 0.44, 0.26), swallow(0.72, 0.24, 0.18), swallow(0.72, 0.52, 0.14)), 'earth'],
    ],
  },
  solstice: {
    sky: 'night',
    layers: [
      [(x) => x < 0.5, 'paper'],
      [above(0.68, ring(0.5, 0.68, 0.37, 0.02)), 'haze'],
      [
        above(
          0.68,
          both(disc(0.5, 0.68, 0.22), (x) => x < 0.5),
        ),
        'sun',
      ],
      [
        above(
          0.68,
          both(disc(0.5, 0.68, 0.22), (x) => x >= 0.5),
        ),
        'moon',
      ],
      [box(0.06, 0.68, 0.94, 0.7), 'haze'],
    ],
  },
}

function colourAt(picture: Picture, x: number, y: number): number {
  const layer = picture.layers.findLast(([shape]) => shape(x, y))
  return palette[layer ? layer[1] : picture.sky]
}

/** Mean colour of one pixel. */
function pixel(picture: Picture, size: number, column: number, row: number): number {
  const sum = [0, 0, 0]
  for (let i = 0; i < SAMPLES * SAMPLES; i++) {
    const x = (column + ((i % SAMPLES) + 0.5) / SAMPLES) / size
    const y = (row + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES) / size
    const colour = colourAt(picture, x, y)
    for (const [at, shift] of [16, 8, 0].entries()) sum[at]! += (colour >> shift) & 255
  }
  const [red, green, blue] = sum.map((total) => Math.round(total / (SAMPLES * SAMPLES)))
  return (red! << 16) | (green! << 8) | blue!
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}

/**
 * Writes 8-bit pixels as a PNG with a colour table (PNG specification, 11.2.2 and 11.2.3).
 *
 * @throws {Error} when there are more than 256 colours.
 */
function png(pixels: number[], size: number): Buffer {
  const colours = [...new Set(pixels)]
  if (colours.length > 256) throw new Error(`${colours.length} colours do not fit into one table`)
  const place = new Map(colours.map((colour, index) => [colour, index]))
  const rows = Buffer.alloc(size * (size + 1))
  pixels.forEach((colour, i) => {
    rows[Math.floor(i / size) * (size + 1) + 1 + (i % size)] = place.get(colour)!
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colours.flatMap((c) => [c >> 16, (c >> 8) & 255, c & 255]))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function draw(picture: Picture, size: number, file: URL): void {
  const pixels = Array.from({ length: size * size }, (_, i) =>
    pixel(picture, size, i % size, Math.floor(i / size)),
  )
  writeFileSync(file, png(pixels, size))
}

const avatars = new URL('../apps/api/assets/avatars/', import.meta.url)
const page = new URL('../apps/web/public/', import.meta.url)
for (const folder of [avatars, page]) mkdirSync(folder, { recursive: true })
for (const [name, picture] of Object.entries(pictures))
  draw(picture, AVATAR_SIZE, new URL(`${name}.png`, avatars))
for (const size of ICON_SIZES) draw(pictures.solstice!, size, new URL(`icon-${size}.png`, page))
console.log(`${Object.keys(pictures).length} avatars and ${ICON_SIZES.length} icons drawn`)
