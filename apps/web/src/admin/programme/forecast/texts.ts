import type { Locale } from '@solstice/contracts'
import { useAdmin } from '../../data/panel.ts'

const uk = {
  title: 'Наступна година',
  from: 'З чого почати',
  origins: { queue: 'Після черги', list: 'Новий список' },
  about: {
    queue: 'Спершу те, що вже в черзі, далі — нові списки.',
    list: 'Якби новий список склали зараз. Замовлені пісні лишаються.',
  },
  again: 'Перемішати ще раз',
  same: 'Як за збереженими налаштуваннями',
  changed: (count: number) => `Інакше, ніж за збереженими: ${count}`,
  different: 'інакше',
  queued: 'у черзі',
  onAir: 'в ефірі',
  jingle: 'Джингл',
  phrase: (name: string, time: string) => `фраза «${name}» о ${time}`,
  preparing: 'Тиша: режим змінюється або в ньому немає музики',
  modes: { day: 'День', night: 'Ніч' },
  empty: 'Грати нічого: додайте музику.',
  asIf: 'Так піде ефір, якщо ніхто нічого не змінить. Випадковий вибір наступного разу буде інший.',
}

const en: typeof uk = {
  title: 'The next hour',
  from: 'Where it begins',
  origins: { queue: 'After the queue', list: 'New playlist' },
  about: {
    queue: 'What’s queued comes first, then new playlists.',
    list: 'As if a new playlist were made now. Requested and paid songs stay.',
  },
  again: 'Shuffle again',
  same: 'Same as with the saved settings',
  changed: (count) => `Different from the saved settings: ${count}`,
  different: 'different',
  queued: 'queued',
  onAir: 'on air',
  jingle: 'Jingle',
  phrase: (name, time) => `phrase “${name}” at ${time}`,
  preparing: 'Silence: the mode changes, or has no music',
  modes: { day: 'Day', night: 'Night' },
  empty: 'Nothing to play: add music.',
  asIf: 'This is what comes if nobody changes anything. Random choices will differ next time.',
}

const forecastTexts: Record<Locale, typeof uk> = { uk, en }

export const useForecastTexts = (): typeof uk => forecastTexts[useAdmin().locale]
