import type { Locale, Mode } from '@solstice/contracts'
import { escapeHtml } from '../http/html.ts'
import type { Font } from './font.ts'
import { setText } from './lines.ts'

/** The picture of a shared link. */
export interface Card {
  mode: Mode
  station: string
  /** The track on air; null = the station alone. */
  song: { title: string; artist: string } | null
  lang: Locale
}

const texts = {
  uk: { onAir: 'Зараз в ефірі', motto: 'Одна трансляція для всіх' },
  en: { onAir: 'On air now', motto: 'One broadcast for everybody' },
} as const satisfies Record<Locale, unknown>

export const CARD_WIDTH = 1200
export const CARD_HEIGHT = 630

/** As `themes` of the pages. */
const colours = {
  day: {
    sky: '#f6efe2',
    glow: '#f3d9a8',
    ground: '#e9dcc3',
    groundEnd: '#e2d2b3',
    ink: '#1d1a16',
    soft: '#5f5749',
    light: '#d9801e',
    live: '#b3261e',
    line: '#d8cbb2',
  },
  night: {
    sky: '#10131f',
    glow: '#2c3350',
    ground: '#1b2033',
    groundEnd: '#161a2a',
    ink: '#ece8df',
    soft: '#9a9db0',
    light: '#c9d4ff',
    live: '#ff8a7a',
    line: '#2b3147',
  },
} as const satisfies Record<Mode, Record<string, string>>
type Colours = (typeof colours)[Mode]

const EDGE = 64
const CREST = 196
const ARC = 168
const LIGHT_RADIUS = 36
const TEXT_WIDTH = CARD_WIDTH - 2 * 88
/** Middle of title and artist. */
const TEXT_MIDDLE = 442

const TITLE = [
  { size: 116, maxLines: 1 },
  { size: 100, maxLines: 1 },
  { size: 88, maxLines: 2 },
  { size: 76, maxLines: 2 },
  { size: 66, maxLines: 2 },
  { size: 56, maxLines: 3 },
] as const
const ARTIST = [
  { size: 42, maxLines: 1 },
  { size: 34, maxLines: 1 },
] as const
const STATION = [{ size: 38, maxLines: 1 }] as const

/** Draws the horizon of the station with the track on air. The same card always gives the same text. */
export function drawCard(card: Card, font: Font): string {
  const colour = colours[card.mode]
  const song = card.song && isReadable(card.song.title, font) ? card.song : null
  const title = song ? song.title : card.station
  const below = song ? song.artist : texts[card.lang].motto
  const light = lightAt(placeOf(title))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}" font-family="${font.family}">`,
    definitions(colour, light),
    `<rect width="${CARD_WIDTH}" height="${CARD_HEIGHT}" fill="${colour.sky}"/>`,
    card.mode === 'night' ? stars(colour) : '',
    `<rect width="${CARD_WIDTH}" height="${CARD_HEIGHT}" fill="url(#glow)"/>`,
    horizon(colour),
    card.mode === 'day' ? sun(colour, light) : moon(colour, light),
    song ? header(card, font, colour) : '',
    words(drawable(title, font), drawable(below, font), font, colour),
    '</svg>',
  ].join('')
}

interface Point {
  x: number
  y: number
}

/** Each track has its own place on the arc, near enough to the crest to stay clear of the title. */
function placeOf(title: string): number {
  let sum = 7
  for (const character of title) sum = (sum * 31 + character.codePointAt(0)!) % 9973
  return 0.27 + 0.46 * (sum / 9973)
}

/** A quadratic curve whose middle point is half way: x is the progress itself. */
function lightAt(place: number): Point {
  return { x: place * CARD_WIDTH, y: CREST + ARC * (1 - 4 * place * (1 - place)) }
}

function definitions({ glow, ground, groundEnd }: Colours, { x, y }: Point): string {
  return `<defs><radialGradient id="glow" gradientUnits="userSpaceOnUse" cx="${n(x)}" cy="${n(y)}" r="620"><stop offset="0" stop-color="${glow}" stop-opacity=".8"/><stop offset="1" stop-color="${glow}" stop-opacity="0"/></radialGradient><linearGradient id="ground" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${ground}"/><stop offset="1" stop-color="${groundEnd}"/></linearGradient><clipPath id="past"><rect width="${n(x)}" height="${CARD_HEIGHT}"/></clipPath></defs>`
}

function horizon({ line, light: past }: Colours): string {
  const foot = CREST + ARC
  const arc = `M-4 ${foot}Q${CARD_WIDTH / 2} ${CREST - ARC} ${CARD_WIDTH + 4} ${foot}`
  return `<path fill="url(#ground)" d="${arc}V${CARD_HEIGHT}H-4z"/><path fill="none" stroke="${line}" stroke-width="2.5" d="${arc}"/><path fill="none" stroke="${past}" stroke-width="3.5" clip-path="url(#past)" d="${arc}"/>`
}

function sun({ light }: Colours, { x, y }: Point): string {
  const disc = (radius: number, opacity: number) =>
    `<circle cx="${n(x)}" cy="${n(y)}" r="${radius}" fill="${light}" opacity="${opacity}"/>`
  return disc(LIGHT_RADIUS + 28, 0.12) + disc(LIGHT_RADIUS + 12, 0.24) + disc(LIGHT_RADIUS, 1)
}

/** The dark side hides the arc behind it; the crescent is what a second disc leaves of the first. */
function moon({ light, line }: Colours, { x, y }: Point): string {
  const r = LIGHT_RADIUS
  const [dx, dy] = [0.3 * r, -0.12 * r]
  const away = Math.hypot(dx, dy)
  const half = Math.sqrt(r * r - away * away) / away
  const horn = (side: number) => `${n(x + dx - side * dy * half)} ${n(y + dy + side * dx * half)}`
  const arc = `A${r} ${r} 0`
  return `<circle cx="${n(x)}" cy="${n(y)}" r="${r}" fill="${line}"/><path fill="${light}" d="M${horn(1)}${arc} 1 1 ${horn(-1)}${arc} 0 0 ${horn(1)}z"/>`
}

/** Per cent of width, and of the sky's height. */
const STARS = [
  [4, 62],
  [9, 50],
  [14, 78],
  [19, 44],
  [27, 60],
  [33, 22],
  [41, 48],
  [47, 14],
  [52, 36],
  [57, 10],
  [64, 48],
  [71, 34],
  [82, 52],
  [86, 72],
  [91, 40],
  [96, 84],
] as const

function stars({ light }: Colours): string {
  return STARS.map(
    ([x, y], i) =>
      `<circle cx="${x * 12}" cy="${n((y * 300) / 100)}" r="${i % 3 === 0 ? 2 : 1.3}" fill="${light}" opacity="${i % 2 ? 0.5 : 0.75}"/>`,
  ).join('')
}

/** The station, and that it is on air. */
function header({ station, lang }: Card, font: Font, { ink, soft, live }: Colours): string {
  const caption = texts[lang].onAir
  const captionWidth = font.widthOf(caption) * 28
  const room = CARD_WIDTH - 2 * EDGE - captionWidth - 80
  const { lines, size } = setText(drawable(station, font), font, STATION, room)
  const dot = CARD_WIDTH - EDGE - captionWidth - 22
  return `<text x="${EDGE}" y="92" font-size="${size}" fill="${ink}">${escapeHtml(lines[0] ?? '')}</text><circle cx="${n(dot)}" cy="80" r="7" fill="${live}"/><text x="${CARD_WIDTH - EDGE}" y="90" font-size="28" text-anchor="end" fill="${soft}">${escapeHtml(caption)}</text>`
}

function words(title: string, below: string, font: Font, { ink, soft }: Colours): string {
  const { lines, size } = setText(title, font, TITLE, TEXT_WIDTH)
  const second = setText(below, font, ARTIST, TEXT_WIDTH)
  const leading = Math.round(size * 1.14)
  const gap = below ? 30 + second.size : 0
  const height = size * 0.72 + (lines.length - 1) * leading + gap
  const first = TEXT_MIDDLE - height / 2 + size * 0.72
  const line = (text: string, y: number, fontSize: number, fill: string) =>
    `<text x="${CARD_WIDTH / 2}" y="${n(y)}" font-size="${fontSize}" text-anchor="middle" fill="${fill}">${escapeHtml(text)}</text>`
  const last = first + (lines.length - 1) * leading
  return (
    lines.map((text, i) => line(text, first + i * leading, size, ink)).join('') +
    (below ? line(second.lines[0] ?? '', last + gap, second.size, soft) : '')
  )
}

/** True when the font has every letter of a text. */
function isReadable(text: string, font: Font): boolean {
  const letters = text.normalize('NFC').match(/[\p{L}\p{N}]/gu) ?? []
  return letters.length > 0 && letters.every((letter) => font.has(letter))
}

/** Without characters that the font lacks, such as emoji. */
function drawable(text: string, font: Font): string {
  return [...text.normalize('NFC').replace(/\s+/g, ' ')].filter((character) => font.has(character)).join('')
}

const n = (value: number) => Number(value.toFixed(2))
