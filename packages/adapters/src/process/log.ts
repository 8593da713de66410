import { type DestinationStream, type Logger, pino } from 'pino'
import { gatherRepeatedErrors } from './repeated-errors.ts'

/** Names of secrets, whose values never reach a log in any form. */
const secrets =
  'adminToken|artToken|audioToken|token|access_token|authorization|cookie|set-cookie|password|pass|secret|' +
  'signature|X-Amz-Signature|X-Amz-Credential|X-Amz-Security-Token'
const inQuery = new RegExp(`([?&](?:${secrets})=)[^&#\\s"'\\\\]+`, 'gi')
const inField = new RegExp(`("(?:${secrets}|x-[\\w-]*token)":)(?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])`, 'gi')
const inAddress = /(\w:\/\/[^\s:@/"\\]*:)[^\s@/"\\]+(?=@)/g
const inHeader = /\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi

/**
 * Lines are buffered and written asynchronously: a thousand listeners may join within a second, and a slow disk or pipe must not
 * hold up the sound. No line is lost when the process exits by itself; up to `maxLength` waits for a full disk.
 */
const BUFFERING = { sync: false, minLength: 4_096, maxLength: 4 * 1024 * 1024 }
const FLUSH_DELAY_MS = 100

/** The standard output as the destination of a log. */
export function openOutput(): DestinationStream {
  // A full disk must not end the process; the lines are written with later ones.
  const output = pino.destination(BUFFERING).on('error', () => {})
  const write = output.write.bind(output)
  let isFlushDue = false
  let hasNewLines = false
  const flush = () => {
    isFlushDue = false
    output.flush()
  }
  // pino's own interval would write nothing ten times a second, each time on another thread.
  const flushSoon = () => {
    if (!isFlushDue) setTimeout(flush, FLUSH_DELAY_MS).unref()
    isFlushDue = true
  }
  output.write = (line) => {
    hasNewLines = true
    flushSoon()
    return write(line)
  }
  // A flush during a write does nothing, and lines that came meanwhile would stay behind.
  output.on('drain', () => {
    if (hasNewLines) flushSoon()
    hasNewLines = false
  })
  return output
}

/**
 * Opens the log of a process: JSON lines, with the values of secrets redacted and repeated errors written once a minute.
 */
export function openLog(name: string, level: string, destination: DestinationStream): Logger {
  const repeated = gatherRepeatedErrors()
  return pino(
    {
      name,
      level,
      // ioredis adds the arguments of a refused command to its error, and AUTH is a command.
      redact: { paths: ['err.command.args'], censor: '[redacted]' },
      hooks: {
        streamWrite: withoutSecrets,
        logMethod(args, write, level) {
          if (!repeated.isRepeated(this, args, write, level)) write.apply(this, args)
        },
      },
    },
    destination,
  )
}

/** The line without secret values in query parameters, fields and headers, and without passwords in addresses. */
export function withoutSecrets(line: string): string {
  return line
    .replace(inQuery, '$1[redacted]')
    .replace(inField, '$1"[redacted]"')
    .replace(inHeader, '$1 [redacted]')
    .replace(inAddress, '$1[redacted]')
}
