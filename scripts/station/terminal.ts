import { Failure } from '@solstice/station'

/** Reason why something cannot be done, as a sentence for the operator. */
export class Refusal extends Error {}

/** Wrong usage of a command. */
export class UsageError extends Error {}

export function say(line = ''): void {
  process.stdout.write(`${line}\n`)
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

export function bytesOf(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** Aligns rows in columns; numbers to the right. */
export function table(rows: (string | number)[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => `${row[column]}`.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column]!
        return typeof cell === 'number' ? `${cell}`.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd(),
  )
}

/** Progress of an operation. */
export interface Progress {
  step(): void
  end(): void
}

const BAR_CHARACTERS = 30
const DRAW_EVERY_MS = 100

/** Draws a bar on a terminal; elsewhere prints a line at every tenth. */
export function showProgress(total: number, what: string): Progress {
  const { isTTY } = process.stderr
  let done = 0
  let drawnMs = 0
  const draw = () => {
    const full = total === 0 ? BAR_CHARACTERS : Math.round((done / total) * BAR_CHARACTERS)
    const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_CHARACTERS - full)}`
    process.stderr.write(`\r\x1b[2K${bar} ${done} of ${total} ${what}`)
  }
  return {
    step() {
      done++
      if (!isTTY) {
        const tenth = (n: number) => Math.floor((n * 10) / total)
        if (tenth(done) > tenth(done - 1)) say(`${done} of ${total} ${what}`)
      } else if (performance.now() - drawnMs > DRAW_EVERY_MS) {
        drawnMs = performance.now()
        draw()
      }
    },
    end() {
      if (isTTY) process.stderr.write('\r\x1b[2K')
    },
  }
}

/** A message on one line, with user names and passwords removed from URLs. */
export function reasonOf(error: unknown): string {
  const text =
    error instanceof Failure ? reasonOfFailure(error) : error instanceof Error ? error.message : error
  const cause = error instanceof Error && error.cause instanceof Error ? reasonOf(error.cause) : ''
  return [text, cause]
    .filter(Boolean)
    .join(': ')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\b([a-z][\w+.-]*:\/\/)[^\s/@]*@/gi, '$1')
}

function reasonOfFailure({ code, details }: Failure): string {
  if (code === 'DATA_UNAVAILABLE') return 'PostgreSQL does not answer in time'
  return [code, ...Object.values(details)].join(' ')
}
