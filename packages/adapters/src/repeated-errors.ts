import type { LogFn, Logger } from 'pino'

const TELL_EVERY_MS = 60_000
const CHECK_EVERY_MS = 5_000
/** Errors beyond that are told each time, so that memory stays bounded. */
const MAX_WATCHED = 200
const WARN = 40

/** The part of a logger that writes a line, as pino's hook is given it. */
type Write = (this: Logger, ...args: Parameters<LogFn>) => void

interface Repeating {
  tell: (fields: object) => void
  tellRecovered: (fields: object) => void
  /** Fields of the latest line that was left out. */
  latest: object
  /** Since a line told of it. */
  untold: number
  times: number
  sinceMs: number
  toldMs: number
  lastMs: number
}

/**
 * Leaves out of a log the lines of warnings and errors (`err`) that say again what was said within a minute: a store that
 * is away or a full disk would write hundreds a second. The first is written as it comes, then one a minute with the
 * number of `times`, and one when it did not come again for a minute. Lines count as the same by their text and by
 * the code of the error, or else its message without numbers.
 */
export function gatherRepeatedErrors(nowMs: () => number = () => performance.now()): {
  /** Whether this line is left out. */
  isRepeated(logger: Logger, args: Parameters<LogFn>, write: Write, level: number): boolean
  /** Tells what is due; called by a timer. */
  check(): void
} {
  const watched = new Map<string, Repeating>()
  let timer: NodeJS.Timeout | undefined

  const check = () => {
    const now = nowMs()
    for (const [key, one] of watched) {
      if (one.untold > 0 && now - one.toldMs >= TELL_EVERY_MS) {
        one.tell({ ...one.latest, times: one.untold })
        one.untold = 0
        one.toldMs = now
      } else if (now - one.lastMs >= TELL_EVERY_MS) {
        watched.delete(key)
        if (one.times > 1)
          one.tellRecovered({ times: one.times, forS: Math.round((one.lastMs - one.sinceMs) / 1000) })
      }
    }
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    isRepeated(logger, args, write, level) {
      const [fields, text] = args as unknown as [{ err?: unknown } | string, string | undefined]
      if (level < WARN || typeof fields !== 'object' || !fields?.err) return false
      const key = `${level} ${text} ${kindOf(fields.err)}`
      const now = nowMs()
      const known = watched.get(key)
      if (known) {
        known.times++
        known.untold++
        known.latest = fields
        known.lastMs = now
        return true
      }
      if (watched.size >= MAX_WATCHED) return false
      watched.set(key, {
        tell: (more) => write.call(logger, more, text),
        tellRecovered: (more) => logger.info({ ...more, error: text }, 'recovered'),
        latest: fields,
        untold: 0,
        times: 1,
        sinceMs: now,
        toldMs: now,
        lastMs: now,
      })
      timer ??= setInterval(check, CHECK_EVERY_MS).unref()
      return false
    },
    check,
  }
}

/** What tells errors apart, whatever they were about. */
function kindOf(error: unknown): string {
  const { code, message = String(error), cause } = (error ?? {}) as NodeJS.ErrnoException
  const inner = cause instanceof Error ? ` < ${kindOf(cause)}` : ''
  return (code ?? message.replace(/[\da-f]{8}-[\da-f-]{27}|\d+/g, '#').slice(0, 200)) + inner
}
