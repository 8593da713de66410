import type { Locale } from '@solstice/contracts'

/** The words for one, few and many of something: Ukrainian has all three, English the first and the last. */
interface Plural {
  one: string
  few?: string
  many: string
}

/** `n` with the right word after it, by the rules of the language. */
export function counted(n: number, words: Plural, locale: Locale): string {
  const rule = new Intl.PluralRules(locale).select(n)
  return `${n} ${rule === 'one' ? words.one : rule === 'few' ? (words.few ?? words.many) : words.many}`
}

const uk = {
  radio: 'Solstice',
  listen: 'Слухати',
  onAir: 'Зараз в ефірі',
  nowPlaying: (song: string) => `Грає ${song}`,
  play: 'Увімкнути звук',
  pause: 'Пауза',
  volume: 'Гучність',
  mute: 'Вимкнути гучність',
  unmute: 'Повернути гучність',
  lyrics: 'Слова пісні',
  close: 'Закрити',
  copyStream: 'Копіювати адресу потоку',
  copyPage: 'Копіювати адресу сторінки',
  copied: 'Адресу скопійовано',
  notCopied: 'Браузер не дав скопіювати адресу:',
  progress: 'Час пісні',
  progressText: (elapsed: string, duration: string) => `${elapsed} з ${duration}`,
  next: 'Далі',
  earlier: 'Раніше',
  nothingNext: 'Черга ще складається.',
  nothingEarlier: 'Ще нічого не звучало.',
  requested: 'на замовлення',
  paid: 'за підтримку',
  paidTier: (tier: number) => `за підтримку · рівень ${tier}`,
  chatting: 'Просто розмова',
  language: 'Мова',
  artOn: 'Показати світлину виконавця',
  artOff: 'Сховати світлину виконавця',
  whoListens: 'Хто слухає',
  people: { one: 'слухає', few: 'слухають', many: 'слухають' },
  admin: 'веде ефір',
  link: { connecting: 'З’єднання', online: 'На зв’язку', offline: 'Немає зв’язку' },
  day: 'Денна програма',
  night: 'Нічна програма',
  states: {
    connecting: { says: 'З’єднуємося зі станцією…', action: 'Спробувати ще раз' },
    offline: {
      says: 'Станція не відповідає. Щойно вона озветься, сторінка оживе сама.',
      action: 'Спробувати зараз',
    },
    preparing: { says: 'Готуємо наступну програму…', action: 'Що звучало раніше' },
    blocked: { says: 'Браузер не дозволив увімкнути звук.', action: 'Увімкнути' },
    'not-ready': {
      says: 'Потік ще прокидається. Звук з’явиться за кілька секунд.',
      action: 'Спробувати зараз',
    },
    lost: { says: 'Звук перервався, пробуємо знову…', action: 'Спробувати зараз' },
  },
  lyricsLoading: 'Шукаємо слова…',
  lyricsNone: 'Слів цієї пісні ми не знайшли.',
  lyricsFailed: 'Слова зараз недоступні.',
  notFound: 'Тут лише небо.',
  notFoundText: 'Такої сторінки немає, але ефір зовсім поруч.',
  home: 'До ефіру',
  keys: 'Пробіл — звук, ↑ ↓ — гучність, L — слова, / — що далі',
}

const en: typeof uk = {
  radio: 'Solstice',
  listen: 'Listen',
  onAir: 'On air now',
  nowPlaying: (song) => `Now playing: ${song}`,
  play: 'Play',
  pause: 'Pause',
  volume: 'Volume',
  mute: 'Mute',
  unmute: 'Unmute',
  lyrics: 'Lyrics',
  close: 'Close',
  copyStream: 'Copy stream link',
  copyPage: 'Copy page link',
  copied: 'The link is copied',
  notCopied: 'The browser did not let us copy the link:',
  progress: 'Time of the song',
  progressText: (elapsed, duration) => `${elapsed} of ${duration}`,
  next: 'Next',
  earlier: 'Earlier',
  nothingNext: 'The queue is still being made.',
  nothingEarlier: 'Nothing has played yet.',
  requested: 'requested',
  paid: 'supported',
  paidTier: (tier) => `supported · tier ${tier}`,
  chatting: 'Just chatting',
  language: 'Language',
  artOn: 'Show the artist’s picture',
  artOff: 'Hide the artist’s picture',
  whoListens: 'Who is listening',
  people: { one: 'listens', many: 'listen' } as typeof uk.people,
  admin: 'on duty',
  link: { connecting: 'Connecting', online: 'Connected', offline: 'No connection' },
  day: 'Day programme',
  night: 'Night programme',
  states: {
    connecting: { says: 'Connecting to the station…', action: 'Try again' },
    offline: {
      says: 'The station does not answer. The page comes back by itself as soon as it does.',
      action: 'Try now',
    },
    preparing: { says: 'The next programme is being prepared…', action: 'What played earlier' },
    blocked: { says: 'The browser did not let the sound start.', action: 'Play' },
    'not-ready': { says: 'The stream is still waking up. Sound comes in a few seconds.', action: 'Try now' },
    lost: { says: 'The sound broke off, trying again…', action: 'Try now' },
  },
  lyricsLoading: 'Looking for the lyrics…',
  lyricsNone: 'We found no lyrics for this song.',
  lyricsFailed: 'The lyrics are not available now.',
  notFound: 'Nothing here but sky.',
  notFoundText: 'There is no such page, but the broadcast is close by.',
  home: 'To the broadcast',
  keys: 'Space — sound, ↑ ↓ — volume, L — lyrics, / — what comes next',
}

export type Texts = typeof uk
export const texts: Record<Locale, Texts> = { uk, en }
