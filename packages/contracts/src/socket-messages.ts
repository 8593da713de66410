import type { Localized } from './localized.ts'
import { messages } from './messages.ts'

const text = (uk: string, en: string): Localized => ({ uk, en })

/**
 * Messages to admins over the socket, beside the `failures` that both ways share. A code is never changed once
 * shipped; texts may be.
 */
export const socketMessages = {
  ADMIN_INVALID_SESSION: text(
    'Сеанс недійсний, увійдіть знову',
    'The session is invalid, please log in again',
  ),
  ADMIN_SESSION_REPLACED: text(
    'Обліковий запис відкрито в надто багатьох вікнах, тож це від’єднано',
    'The account is open in too many windows, so this one was detached',
  ),
  INSUFFICIENT_PRIVILEGES: text('Недостатньо прав для цієї дії', 'You lack the privilege for this'),
  QUEUE_SONG_ADDED: text('Пісню поставлено в чергу', 'The song is queued'),
  QUEUE_SONG_REMOVED: text('Пісню прибрано з черги', 'The song is removed from the queue'),
  QUEUE_SONG_RESTORED: text('Пісня знову в черзі', 'The song is back in the queue'),
  QUEUE_ORDER_RESTORED: text(
    'Оплачена пісня повертається в чергу, до інших оплачених',
    'The paid song goes back into the queue, among the paid ones',
  ),
  QUEUE_SONG_MOVED: text('Пісню пересунуто', 'The song is moved'),
  JINGLE_INSERTED: text('Джингл прозвучить після цієї пісні', 'The jingle will play after this song'),
  JINGLE_CANCELLED: text('Джингл прибрано', 'The jingle is taken back'),
  QUEUE_SONG_SKIPPED: text('Пісню пропущено', 'The song is skipped'),
  QUEUE_SUGGESTION_ACCEPTED: text('Замовлену пісню поставлено в чергу', 'The requested song is queued'),
  QUEUE_GROUP_INSERTED: messages.GROUP_INSERTED,
} as const satisfies Record<string, Localized>

/** A text with its code, as `admin_error`, `admin_success` and the errors of callbacks carry it. */
export type Coded = Localized & { code: string; [detail: string]: unknown }

export function coded(code: keyof typeof socketMessages): Coded {
  return { code, ...socketMessages[code] }
}
