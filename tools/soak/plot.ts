import type { Point } from './trend.ts'

export interface Panel {
  title: string
  unit: string
  series: { name: string; points: readonly Point[] }[]
}

const WIDTH = 960
const HEIGHT = 240
const MARGIN = { left: 70, right: 210, top: 30, bottom: 24 }
const GRID_LINES = 4
/** In a column of the legend. */
const NAMES = 13
const colours = ['#2563eb', '#dc2626', '#059669', '#d97706', '#7c3aed', '#0891b2', '#be185d', '#4d7c0f']

/** An SVG with a panel per figure, one under the other, over the same hours. */
export function plot(panels: readonly Panel[], kills: readonly number[]): string {
  const all = panels.flatMap(({ series }) => series.flatMap(({ points }) => points))
  const hours = Math.max(1e-6, ...all.map(({ atH }) => atH))
  const height = panels.length * HEIGHT
  const drawn = panels.map((panel, i) => drawPanel(panel, i * HEIGHT, hours, kills))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...drawn,
    '</svg>\n',
  ].join('\n')
}

function drawPanel({ title, unit, series }: Panel, top: number, hours: number, kills: readonly number[]) {
  const [from, to] = boundsOf(series.flatMap(({ points }) => points.map(({ value }) => value)))
  const [bottom, right] = [top + HEIGHT - MARGIN.bottom, WIDTH - MARGIN.right]
  const x = (atH: number) => (MARGIN.left + (atH / hours) * (right - MARGIN.left)).toFixed(1)
  const y = (value: number) =>
    (bottom - ((value - from) / (to - from)) * (bottom - top - MARGIN.top)).toFixed(1)
  const grid = Array.from({ length: GRID_LINES + 1 }, (_, i) => from + ((to - from) * i) / GRID_LINES)
  return [
    `<text x="${MARGIN.left}" y="${top + 18}" font-weight="bold">${escaped(`${title}, ${unit}`)}</text>`,
    ...grid.flatMap((value) => [
      `<path d="M${MARGIN.left} ${y(value)}H${right}" stroke="#ddd"/>`,
      `<text x="${MARGIN.left - 6}" y="${Number(y(value)) + 4}" text-anchor="end">${rounded(value)}</text>`,
    ]),
    ...kills.map(
      (atH) => `<path d="M${x(atH)} ${top + MARGIN.top}V${bottom}" stroke="#999" stroke-dasharray="2 3"/>`,
    ),
    ...series.flatMap(({ name, points }, i) => {
      const colour = colours[i % colours.length]
      // There are several a pixel.
      const line = [...new Set(points.map(({ atH, value }) => `${x(atH)},${y(value)}`))].join(' ')
      return [
        `<polyline points="${line}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
        `<text x="${right + 10 + Math.floor(i / NAMES) * 100}" y="${top + MARGIN.top + 6 + (i % NAMES) * 14}" fill="${colour}">${escaped(name)}</text>`,
      ]
    }),
    `<text x="${right}" y="${bottom + 16}" text-anchor="end">${rounded(hours * 60)} min</text>`,
  ].join('\n')
}

function boundsOf(values: number[]): [from: number, to: number] {
  const [from, to] = [Math.min(0, ...values), Math.max(0, ...values)]
  return from === to ? [from, from + 1] : [from, to]
}

const rounded = (value: number) => String(Number(value.toPrecision(3)))

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
