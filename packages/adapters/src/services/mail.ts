import { createHash } from 'node:crypto'
import type { Mailer } from '@solstice/station'
import type { Transporter } from 'nodemailer'

const TIMEOUT_MS = 20_000
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

export interface MailConfig {
  /** `smtp://` or `smtps://`, with user and password if it asks for them. */
  server: string
  from: string
  to: readonly string[]
}

/**
 * A mail server, asked anew for each e-mail: they are rare. A password goes there encrypted or not at all, except on this
 * machine.
 */
export function openMailer({ server, from, to }: MailConfig): Mailer {
  const { protocol, hostname, port, username, password } = new URL(server)
  const isEncrypted = protocol === 'smtps:'
  const options = {
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port && { port: Number(port) }),
    secure: isEncrypted,
    requireTLS: !isEncrypted && username !== '' && !LOOPBACK.includes(hostname),
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  }
  let opened: Promise<Transporter> | undefined
  // Loaded when it is needed: every process imports this file.
  const transport = () => (opened ??= import('nodemailer').then((mail) => mail.createTransport(options)))
  const domain = /@([^@>\s]+)>?$/.exec(from)?.[1] ?? hostname
  return {
    async send({ key, subject, text }) {
      const id = createHash('sha256').update(key).digest('base64url').slice(0, 22)
      const headers = { 'Auto-Submitted': 'auto-generated' }
      try {
        await (await transport()).sendMail({
          from,
          to: [...to],
          subject,
          text,
          headers,
          messageId: `<${id}@${domain}>`,
        })
      } catch (error) {
        throw new Error(`the mail server did not take it: ${reasonOf(error)}`)
      }
    },
  }
}

/** A word for the reason: what servers answer may hold addresses and names of accounts. */
function reasonOf(error: unknown): string {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  return [code ?? 'unknown', responseCode].filter(Boolean).join(' ')
}
