import type { Reader } from './reader.ts'

/** Reads who is told by e-mail; null, with a warning when it was wanted, unless everything for it is set. */
export function readMail({ read, raw, warnings }: Reader) {
  const [server, from, to] = [read('SMTP_URL'), read('SMTP_FROM'), read('ALARM_EMAILS')]
  if (server && from && to.length > 0) return { server, from, to }
  if (raw('SMTP_URL')?.trim() || raw('ALARM_EMAILS')?.trim())
    warnings.push('no e-mail is sent: it needs SMTP_URL, SMTP_FROM and ALARM_EMAILS')
  return null
}
