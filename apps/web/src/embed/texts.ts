import type { Locale } from '@solstice/contracts'

interface Texts {
  play: string
  pause: string
  visit: string
  opensAnew: string
  onAir: string
  live: string
  connecting: string
  jingle: string
  chat: string
  preparing: string
  noAnswer: string
  silent: string
}

const uk: Texts = {
  play: 'Слухати',
  pause: 'Пауза',
  visit: 'Слухати на сторінці станції',
  opensAnew: 'відкриється в новій вкладці',
  onAir: 'В ефірі',
  live: 'Наживо',
  connecting: 'З’єднуємося…',
  jingle: 'Джингл',
  chat: 'Ведучі в ефірі',
  preparing: 'Ефір ось-ось почнеться',
  noAnswer: 'Станція не відповідає. Пробуємо ще.',
  silent: 'Звуку немає. Пробуємо ще.',
}

const en: Texts = {
  play: 'Play',
  pause: 'Pause',
  visit: 'Listen on the station’s page',
  opensAnew: 'opens in a new tab',
  onAir: 'On air',
  live: 'Live',
  connecting: 'Connecting…',
  jingle: 'Jingle',
  chat: 'The hosts are talking',
  preparing: 'The programme is about to start',
  noAnswer: 'The station doesn’t answer. Trying again.',
  silent: 'There’s no sound. Trying again.',
}

export const embedTexts: Record<Locale, Texts> = { uk, en }
