import type { Locale } from '@solstice/contracts'

export interface StatusTexts {
  language: string
  title: string
  isOnAir: string
  isOffAir: string
  unknown: string
  since(moment: string): string
  uptime(days: number): string
  ofTime: string
  days: { whole: string; broken: string; unheard: string }
  day(date: string, share: string | null, breaks: number): string
  first: string
  today: string
  notListened: string
  streams: string
  plays: string
  isSilent: string
  incident: string
  none: string
  break: string
  disturbance: string
  lasts: string
  lasted(time: string): string
  home: string
  asOf(time: string): string
  seconds(count: number): string
  minutes(count: number): string
  hours(hours: number, minutes: number): string
}

const ukrainian = new Intl.PluralRules('uk')
const breaksUk: Record<string, string> = { one: 'перерва', few: 'перерви' }

export const statusTexts: Record<Locale, StatusTexts> = {
  uk: {
    language: 'Мова',
    title: 'Стан ефіру',
    isOnAir: 'В ефірі',
    isOffAir: 'Ефіру немає',
    unknown: 'Стан станції невідомий',
    since: (moment) => `без перерв з ${moment}`,
    uptime: (days) => `Останні ${days} днів`,
    ofTime: 'часу ефір було чути',
    days: { whole: 'Без перерв', broken: 'З перервами', unheard: 'Немає даних' },
    day: (date, share, breaks) =>
      share === null
        ? `${date}: немає даних`
        : `${date}: ${share}${breaks > 0 ? `, ${breaks} ${breaksUk[ukrainian.select(breaks)] ?? 'перерв'}` : ''}`,
    first: '90 днів тому',
    today: 'сьогодні',
    notListened: 'За ефіром тут ніхто не стежить, тож історії немає.',
    streams: 'Потоки',
    plays: 'звучить',
    isSilent: 'мовчить',
    incident: 'Остання подія',
    none: 'За ці дні нічого не сталося.',
    break: 'Ефіру не було чути',
    disturbance: 'Звук переривався або був із вадами',
    lasts: 'триває',
    lasted: (time) => `тривало ${time}`,
    home: 'Слухати',
    asOf: (time) => `Станом на ${time}`,
    seconds: (count) => `${count} с`,
    minutes: (count) => `${count} хв`,
    hours: (hours, minutes) => (minutes > 0 ? `${hours} год ${minutes} хв` : `${hours} год`),
  },
  en: {
    language: 'Language',
    title: 'Station status',
    isOnAir: 'On the air',
    isOffAir: 'Off the air',
    unknown: 'The station can’t be reached',
    since: (moment) => `without a break since ${moment}`,
    uptime: (days) => `The last ${days} days`,
    ofTime: 'of the time the station was heard',
    days: { whole: 'No breaks', broken: 'With breaks', unheard: 'No data' },
    day: (date, share, breaks) =>
      share === null
        ? `${date}: no data`
        : `${date}: ${share}${breaks > 0 ? `, ${breaks} ${breaks === 1 ? 'break' : 'breaks'}` : ''}`,
    first: '90 days ago',
    today: 'today',
    notListened: 'Nobody keeps watch over this station, so there is no history.',
    streams: 'Streams',
    plays: 'playing',
    isSilent: 'silent',
    incident: 'Last incident',
    none: 'Nothing happened in these days.',
    break: 'The station was not heard',
    disturbance: 'The sound was interrupted or at fault',
    lasts: 'ongoing',
    lasted: (time) => `lasted ${time}`,
    home: 'Listen',
    asOf: (time) => `As of ${time}`,
    seconds: (count) => `${count} s`,
    minutes: (count) => `${count} min`,
    hours: (hours, minutes) => (minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`),
  },
}
