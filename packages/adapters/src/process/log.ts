import { type DestinationStream, type Logger, pino } from 'pino'
import { gatherRepeatedErrors } from './repeated-errors.ts'

/** What no log may hold, whatever object or text it came in. */
const secrets =
  'adminToken|artToken|audioToken|token|access_token|authorization|cookie|set-cookie|password|pass|secret|' +
  'signature|X-Amz-Signature|X-Amz-Credential|X-Amz-Security-Token'
const inQuery = new RegExp(`([?&](?:${secrets})=)[^&#\\s"'\\\\]+`, 'gi')
const inField = new RegExp(`("(?:${secrets}|x-[\\w-]*token)":)(?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])`, 'gi')
const inAddress = /(\w:\/\/[^\s:@/"\\]*:)[^\s@/"\\]+(?=@)/g
const inHeader = /\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi

/**
 * Lines are gathered and written behind the event loop's back: a thousand listeners may join within a second, and a slow
 * disk or pipe must not hold up the sound. None is lost when the process ends by itself; what a full disk does not take
 * waits, up to this much.
 */
const GATHERED = { sync: false, minLength: 4_096, periodicFlush: 100, maxLength: 4 * 1024 * 1024 }

/** The standard output as the end of a log. */
export function openOutput(): DestinationStream {
  // A disk that takes no lines does not end the process; they are written with the next ones.
  return pino.destination(GATHERED).on('error', () => {})
}

/**
 * Opens the log of a process: JSON lines in which the values of secrets are left out, and errors that come again and
 * again are told once a minute.
 */
export function openLog(name: string, level: string, destination: DestinationStream): Logger {
  const repeated = gatherRepeatedErrors()
  return pino(
    {
      name,
      level,
      // A refused command is told with its arguments, and AUTH is a command.
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

/** The same line without the values of query parameters, fields and headers that are secrets, and passwords in addresses. */
export function withoutSecrets(line: string): string {
  return line
    .replace(inQuery, '$1[redacted]')
    .replace(inField, '$1"[redacted]"')
    .replace(inHeader, '$1 [redacted]')
    .replace(inAddress, '$1[redacted]')
}
