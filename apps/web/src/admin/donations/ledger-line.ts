import { serviceName } from './donations-context.ts'
import type { DonationTexts } from './texts.ts'

interface LedgerEntry {
  event: string
  note: string
}

/** Reasons for which an order ended unpaid. */
const CLOSING = ['expired', 'payment_failed']

/** An entry of the ledger in words: what happened, and the details that its note keeps. */
export function ledgerLine({ event, note }: LedgerEntry, t: DonationTexts): { title: string; about: string } {
  const title = (name: string) => t.events[name] ?? name
  const [, login] = /^by (.*)$/s.exec(note) ?? []
  if (login !== undefined) return { title: title(event), about: t.by(login) }
  const [, frame] = /^frame (\d+)$/.exec(note) ?? []
  if (frame !== undefined) return { title: title(event), about: t.frame(frame) }
  if (event !== 'refused') return { title: title(event), about: withService(note) }

  // `reason`, `reason order`, or one of these and `: service reference, amount`.
  const [, why = '', order, payment] = /^(\S+?)(?: ([^:]+))?(?:: (.*))?$/s.exec(note) ?? []
  const kind = CLOSING.includes(why) ? 'closed' : payment ? 'mismatched' : 'refused'
  const reason = why === 'too_late' && payment ? t.paidTooLate : (t.reasons[why] ?? why)
  return {
    title: title(kind),
    about: [reason, order, withService(payment ?? '')].filter(Boolean).join(' · '),
  }
}

/** `matching_provider_1 2f6c` as `Donatello 2f6c`. */
function withService(payment: string): string {
  const [id = '', ...rest] = payment.split(' ')
  return [serviceName(id), ...rest].join(' ').trim()
}
