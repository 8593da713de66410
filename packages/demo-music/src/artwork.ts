import type { Artist } from './pieces.ts'
import { seededRandom } from './random.ts'

export const ART_WIDTH = 540
export const ART_HEIGHT = 1200
export const COVER_SIZE = 640

type Colour = readonly [red: number, green: number, blue: number]

/** A sky from its top to the horizon, the land from the horizon down, and a light in it. */
interface Scene {
  sky: Colour[]
  land: Colour[]
  light: { colour: Colour; x: number; y: number; radius: number; glow: number }
  stars: number
}

const scenes: Record<Artist['light'], Scene> = {
  morning: {
    sky: [hex('#f6efe2'), hex('#f3e3c8'), hex('#eec48f')],
    land: [hex('#c99a62'), hex('#6b5135')],
    light: { colour: hex('#fff4dc'), x: 0.34, y: 0.52, radius: 0.085, glow: 0.5 },
    stars: 0,
  },
  noon: {
    sky: [hex('#e9dcc3'), hex('#f6efe2'), hex('#fbf7ee')],
    land: [hex('#d8cbb2'), hex('#8b8468')],
    light: { colour: hex('#fffdf6'), x: 0.62, y: 0.2, radius: 0.07, glow: 0.45 },
    stars: 0,
  },
  evening: {
    sky: [hex('#6b6373'), hex('#c98a6a'), hex('#e9a04f')],
    land: [hex('#7a4a35'), hex('#2b1f1d')],
    light: { colour: hex('#ffe2b0'), x: 0.55, y: 0.6, radius: 0.11, glow: 0.55 },
    stars: 0,
  },
  dusk: {
    sky: [hex('#1b2033'), hex('#545a80'), hex('#c7a08f')],
    land: [hex('#39405f'), hex('#141827')],
    light: { colour: hex('#f4e6d8'), x: 0.27, y: 0.33, radius: 0.045, glow: 0.3 },
    stars: 40,
  },
  night: {
    sky: [hex('#10131f'), hex('#1b2033'), hex('#39405f')],
    land: [hex('#20263d'), hex('#0b0d16')],
    light: { colour: hex('#c9d4ff'), x: 0.68, y: 0.26, radius: 0.075, glow: 0.35 },
    stars: 150,
  },
}

const HORIZON = 0.66

/** Paints the horizon of an artist: pixels, red, green and blue by turns. The same artist always looks the same. */
export function paint({ name, light }: Artist): Buffer {
  const scene = scenes[light]
  const random = seededRandom([...name].reduce((sum, letter) => sum * 31 + letter.codePointAt(0)!, 7))
  const hills = Array.from({ length: 3 }, (_, n) => ({
    base: HORIZON + 0.012 + 0.09 * n,
    height: 0.018 + 0.012 * n,
    waves: [0.7 + random(), 1.9 + 1.4 * random()],
    shift: [random() * 6.3, random() * 6.3],
  }))
  const pixels = Buffer.alloc(ART_WIDTH * ART_HEIGHT * 3)
  const edges = hills.map((hill) =>
    Float32Array.from({ length: ART_WIDTH }, (_, x) => {
      const turn = (2 * Math.PI * x) / ART_WIDTH
      const wave =
        Math.sin(turn * hill.waves[0]! + hill.shift[0]!) +
        0.5 * Math.sin(turn * hill.waves[1]! + hill.shift[1]!)
      return (hill.base + hill.height * wave) * ART_HEIGHT
    }),
  )
  for (let y = 0; y < ART_HEIGHT; y++) {
    const sky = gradient(scene.sky, y / (HORIZON * ART_HEIGHT))
    for (let x = 0; x < ART_WIDTH; x++) {
      const lit = shine(scene, sky, x, y)
      let colour = lit
      edges.forEach((edge, n) => {
        const land = gradient(scene.land, (n + 0.6 * ((y - edge[x]!) / ART_HEIGHT) * 6) / 3)
        // One pixel of the edge lies between hill and sky.
        colour = blend(colour, land, clamp(y - edge[x]! + 0.5))
      })
      // A little noise keeps wide gradients from showing steps.
      const grain = 3 * (random() - 0.5)
      const at = (y * ART_WIDTH + x) * 3
      for (let c = 0; c < 3; c++) pixels[at + c] = Math.max(0, Math.min(255, Math.round(colour[c]! + grain)))
    }
  }
  for (let n = 0; n < scene.stars; n++) {
    const x = Math.floor(random() * ART_WIDTH)
    const y = Math.floor(random() ** 1.4 * HORIZON * 0.9 * ART_HEIGHT)
    const strength = 0.25 + 0.6 * random()
    const at = (y * ART_WIDTH + x) * 3
    for (let c = 0; c < 3; c++) pixels[at + c]! += (235 - pixels[at + c]!) * strength
  }
  return pixels
}

/** The sky with the sun or the moon and the glow around it. */
function shine({ light }: Scene, sky: Colour, x: number, y: number): Colour {
  const distance = Math.hypot(x - light.x * ART_WIDTH, y - light.y * ART_HEIGHT)
  const radius = light.radius * ART_WIDTH
  const glow = light.glow * Math.exp(-distance / (3.2 * radius))
  return blend(blend(sky, light.colour, glow), light.colour, clamp(radius - distance + 0.5))
}

/** The sun or moon on a cover: by day warmer than in a portrait, so that it stands out from a bright sky. */
const discs: Record<Artist['light'], Colour> = {
  morning: hex('#ef8f55'),
  noon: hex('#d2694a'),
  evening: hex('#ffdc9c'),
  dusk: hex('#f4e0d0'),
  night: hex('#c9d4ff'),
}

/**
 * Paints the cover of an album: a large sun or moon behind the horizon, and its light on the water in strips. Pixels, red, green
 * and blue by turns. The same album always looks the same.
 */
export function paintCover(album: string, light: Artist['light']): Buffer {
  const { sky, land, light: lamp } = scenes[light]
  const random = seededRandom([...album].reduce((sum, letter) => sum * 31 + letter.codePointAt(0)!, 11))
  const horizon = 0.56 + 0.12 * random()
  const disc = {
    x: 0.3 + 0.4 * random(),
    y: horizon - 0.02 - 0.16 * random(),
    radius: 0.17 + 0.07 * random(),
  }
  const strips = 7 + Math.floor(4 * random())
  const shifts = Array.from({ length: strips }, () => 0.08 * (random() - 0.5))
  const sun = discs[light]
  const pixels = Buffer.alloc(COVER_SIZE * COVER_SIZE * 3)
  for (let py = 0; py < COVER_SIZE; py++) {
    const y = py / COVER_SIZE
    const depth = Math.max(0, (y - horizon) / (1 - horizon))
    const strip = Math.min(strips - 1, Math.floor(depth ** 0.7 * strips))
    for (let px = 0; px < COVER_SIZE; px++) {
      const x = px / COVER_SIZE
      const distance = Math.hypot(x - disc.x, y - disc.y)
      const edge = clamp((disc.radius - distance) * COVER_SIZE + 0.5)
      const glow = lamp.glow * Math.exp(-distance / (2.2 * disc.radius))
      const above = blend(blend(gradient(sky, y / horizon), lamp.colour, glow), sun, edge)
      const half = disc.radius * (1.15 - (0.8 * strip) / strips) * (strip % 2 ? 0.6 : 1)
      const away = Math.abs(x - disc.x - (shifts[strip] ?? 0)) - half
      const gleam = clamp(0.5 - away * 90) * (0.85 - 0.6 * depth) * (strip % 2 ? 0.55 : 1)
      const below = blend(gradient(land, depth * 1.1), sun, gleam)
      const colour = blend(above, below, clamp((y - horizon) * COVER_SIZE + 0.5))
      const grain = 4 * (random() - 0.5)
      const at = (py * COVER_SIZE + px) * 3
      for (let c = 0; c < 3; c++) pixels[at + c] = Math.max(0, Math.min(255, Math.round(colour[c]! + grain)))
    }
  }
  return pixels
}

function gradient(stops: Colour[], place: number): Colour {
  const scaled = clamp(place) * (stops.length - 1)
  const index = Math.min(stops.length - 2, Math.floor(scaled))
  const part = scaled - index
  return blend(stops[index]!, stops[index + 1]!, part * part * (3 - 2 * part))
}

function blend(from: Colour, to: Colour, part: number): Colour {
  return [
    from[0] + (to[0] - from[0]) * part,
    from[1] + (to[1] - from[1]) * part,
    from[2] + (to[2] - from[2]) * part,
  ]
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value))
}

function hex(colour: string): Colour {
  const value = Number.parseInt(colour.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}
