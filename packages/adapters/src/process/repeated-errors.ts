import type { LogFn, Logger } from 'pino'

const TELL_EVERY_MS = 60_000
const CHECK_EVERY_MS = 5_000
/** Bounds memory: further kinds of errors are logged each time. */
const MAX_WATCHED = 200
const WARN = 40
/** Changes per minute that are logged one by one, of a thing that comes and goes. */
const MAX_SINGLE_CHANGES = 3

/** The function that writes a line, as pino passes it to its hook. */
type Write = (this: Logger, ...args: Parameters<LogFn>) => void

interface Fields {
  err?: unknown
  /** A thing that comes and goes, such as the lease. */
  about?: string
}

interface Repeating {
  tell: (fields: object) => void
  tellRecovered: (fields: object) => void
  /** Fields of the last suppressed line. */
  latest: object
  isError: boolean
  /** Lines suppressed since the last one written. */
  untold: number
  times: number
  sinceMs: number
  toldMs: number
  lastMs: number
}

/**
 * Suppresses warnings and errors (`err`) that repeat within a minute: a store that is away or a full disk would write hundreds
 * a second. The first line is written at once, then one a minute with the number of `times`, and one when the error has not
 * occurred for a minute. Lines are the same by their text and the code of the error, or its message without numbers.
 * Lines about a thing that comes and goes (`about`) are gathered as well, from the fourth on.
 */
export function gatherRepeatedErrors(nowMs: () => number = () => performance.now()): {
  /** True when this line is to be suppressed. */
  isRepeated(logger: Logger, args: Parameters<LogFn>, write: Write, level: number): boolean
  /** Writes due summaries; called by a timer. */
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
        if (!isError && known.times <= MAX_SINGLE_CHANGES) return false
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

/** The kind of an error, without its particulars. */
function kindOf(error: unknown): string {
  const { code, message = String(error), cause } = (error ?? {}) as NodeJS.ErrnoException
  const inner = cause instanceof Error ? ` < ${kindOf(cause)}` : ''
  return (code ?? message.replace(/[\da-f]{8}-[\da-f-]{27}|\b[\da-f]{40}\b|\d+/g, '#').slice(0, 200)) + inner
}
