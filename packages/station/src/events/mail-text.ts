import type { AlarmCause, Localized, WebhookEventData } from '@solstice/contracts'
import type { EventRecord } from '../ports/data/data-store.ts'
import type { Mail } from '../ports/mail.ts'

const MAX_LISTED = 50
const LANGUAGES = ['uk', 'en'] as const

/** The station, as e-mails name it. */
export interface MailStation {
  timeZone: string
  /** Address of the station; '' if the operator named none. */
  publicServerUrl: string
}

type Event = Readonly<Pick<EventRecord, 'eventId' | 'type' | 'atMs' | 'data'>>

/** By how much they matter: the first of them that happened is the subject. */
const mailed = ['alarm.began', 'donation.unqueued', 'alarm.ended'] as const
export type MailedType = (typeof mailed)[number]
export const isMailed = (type: string): type is MailedType => (mailed as readonly string[]).includes(type)

const causes: Record<AlarmCause, Localized> = {
  no_bytes: { uk: 'потік перервався', en: 'the stream broke off' },
  broken_frames: { uk: 'пошкоджений звук', en: 'broken sound' },
  missing_frames: { uk: 'у звуці пропуски', en: 'parts of the sound are missing' },
  silence: { uk: 'тиша в ефірі', en: 'silence on air' },
  clipping: { uk: 'звук перевантажений', en: 'the sound is clipped' },
  loudness: { uk: 'неправильна гучність', en: 'wrong loudness' },
  repeating: { uk: 'звук повторюється', en: 'the sound repeats' },
  title: { uk: 'неправильна назва пісні', en: 'wrong title' },
  drift: { uk: 'звук розійшовся з позицією', en: 'sound and position differ' },
  other_bytes: { uk: 'сервер віддає інший звук', en: 'a server sends different sound' },
  old_sound: { uk: 'сервер віддає старий звук', en: 'a server sends old sound' },
  old_playlist: { uk: 'застарілий список HLS', en: 'an outdated HLS playlist' },
  stale_sync: { uk: 'сервер показує застарілий ефір', en: 'a server reports an old state' },
  stale_state: { uk: 'ефір не рухається далі', en: 'the programme is stuck' },
}

const titles: { [T in MailedType]: (data: WebhookEventData<T>) => Localized } = {
  'alarm.began': ({ cause }) => ({
    uk: `Тривога: ${causes[cause].uk}`,
    en: `Alarm: ${causes[cause].en}`,
  }),
  'alarm.ended': ({ cause }) => ({
    uk: `Минулося: ${causes[cause].uk}`,
    en: `Over: ${causes[cause].en}`,
  }),
  'donation.unqueued': () => ({
    uk: 'Оплаченій пісні не знайшлося місця',
    en: 'A paid song found no place',
  }),
}

const details: { [T in MailedType]: (data: WebhookEventData<T>) => Localized } = {
  'alarm.began': ({ source, evidence }) => same(`${source}: ${evidence}`),
  'alarm.ended': ({ source, beganAt, endedAt }) => {
    const seconds = Math.round((endedAt - beganAt) / 1000)
    return { uk: `${source}, тривало ${seconds} с`, en: `${source}, it lasted ${seconds} s` }
  },
  'donation.unqueued': ({ title, artist, amount, currency }) => {
    const paid = `${artist} – ${title}, ${amount} ${currency}`
    return {
      uk: `${paid}. Поставте її в чергу знову або поверніть гроші`,
      en: `${paid}. Queue it again or pay the money back`,
    }
  },
}

/** One e-mail about these events, of the types that are mailed, in both languages. */
export function mailOf(events: readonly Event[], { timeZone, publicServerUrl }: MailStation): Mail {
  const [first, ...more] = [...events].sort((a, b) => rankOf(a) - rankOf(b))
  const title = wordsOf(titles, first!)
  const rest = more.length > 0 ? ` (+${more.length})` : ''
  const time = new Intl.DateTimeFormat('uk', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  const listed = events.slice(0, MAX_LISTED)
  const blocks = LANGUAGES.map((language) => [
    ...listed.map((event) => {
      const line = `${wordsOf(titles, event)[language]}. ${wordsOf(details, event)[language]}`
      return `${time.format(event.atMs)}  ${line}`
    }),
    ...(events.length > listed.length ? [`… +${events.length - listed.length}`] : []),
  ])
  const link = publicServerUrl ? [`${publicServerUrl}/adpanel`] : []
  return {
    key: `${events[0]!.eventId} ${events.at(-1)!.eventId}`,
    subject: `${title.uk} · ${title.en}${rest}`,
    text: `${[...blocks.map((lines) => lines.join('\n')), ...link].join('\n\n')}\n`,
  }
}

const same = (text: string): Localized => ({ uk: text, en: text })

const rankOf = ({ type }: Event) => (mailed as readonly string[]).indexOf(type)

/** Events were recorded with the data of their type. */
function wordsOf(texts: typeof titles | typeof details, { type, data }: Event): Localized {
  const say = texts[type as MailedType] as (data: object) => Localized
  return say(data)
}
