import type { LogFn, Logger } from 'pino'

const TELL_EVERY_MS = 60_000
const CHECK_EVERY_MS = 5_000
/** Errors beyond that are told each time, so that memory stays bounded. */
const MAX_WATCHED = 200
const WARN = 40
/** Each change of what comes and goes is told as it comes, as long as there are so few within a minute. */
const FEW_CHANGES = 3

/** The part of a logger that writes a line, as pino's hook is given it. */
type Write = (this: Logger, ...args: Parameters<LogFn>) => void

interface Fields {
  err?: unknown
  /** What comes and goes. */
  about?: string
}

interface Repeating {
  tell: (fields: object) => void
  tellRecovered: (fields: object) => void
  /** Fields of the latest line that was left out. */
  latest: object
  isError: boolean
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
 * the code of the error, or else its message without numbers. Lines of what comes and goes (`about`), such as the lease, are
 * gathered as well, from the fourth on.
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
        if (one.isError && one.times > 1)
          one.tellRecovered({ times: one.times, forS: Math.round((one.lastMs - one.sinceMs) / 1000) })
      }
    }
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    isRepeated(logger, args, write, level) {
      const [fields, text] = args as unknown as [Fields | string, string | undefined]
      if (typeof fields !== 'object' || fields === null) return false
      const isError = level >= WARN && Boolean(fields.err)
      if (!isError && fields.about === undefined) return false
      const key = `${level} ${text} ${kindOf(fields.err)}`
      const now = nowMs()
      const known = watched.get(key)
      if (known) {
        known.times++
        known.lastMs = now
        if (!isError && known.times <= FEW_CHANGES) return false
        known.untold++
        known.latest = fields
        return true
      }
      if (watched.size >= MAX_WATCHED) return false
      watched.set(key, {
        tell: (more) => write.call(logger, more, text),
        tellRecovered: (more) => logger.info({ ...more, error: text }, 'recovered'),
        latest: fields,
        isError,
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
