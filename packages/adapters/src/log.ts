import { type DestinationStream, type Logger, pino } from 'pino'

/** What no log may hold, whatever object or text it came in. */
const secrets =
  'adminToken|artToken|audioToken|token|access_token|authorization|cookie|set-cookie|password|pass|secret|' +
  'signature|X-Amz-Signature|X-Amz-Credential|X-Amz-Security-Token'
const inQuery = new RegExp(`([?&](?:${secrets})=)[^&#\\s"'\\\\]+`, 'gi')
const inField = new RegExp(`("(?:${secrets}|x-[\\w-]*token)":)(?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])`, 'gi')
const inAddress = /(\w:\/\/[^\s:@/"\\]*:)[^\s@/"\\]+(?=@)/g
const inHeader = /\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi

/** Opens the log of a process: JSON lines in which the values of secrets are left out. */
export function openLog(name: string, level: string, destination: DestinationStream): Logger {
  return pino(
    {
      name,
      level,
      // A refused command is told with its arguments, and AUTH is a command.
      redact: { paths: ['err.command.args'], censor: '[redacted]' },
      hooks: { streamWrite: withoutSecrets },
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
