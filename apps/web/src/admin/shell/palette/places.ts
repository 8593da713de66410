import type { Locale } from '@solstice/contracts'
import type { AccessRule } from '../../data/access.ts'
import type { PartId } from '../../parts.ts'

/** A tab of a part, and where its settings are. */
export interface Place {
  part: PartId
  /** Of the address. */
  query: Record<string, string>
  title: Record<Locale, string>
  /** What is set or seen there, in both languages. */
  words: string
  /** Beyond what the part asks for. */
  access?: AccessRule
}

const programme = (view: string, uk: string, en: string, words: string): Place => ({
  part: 'programme',
  query: { view },
  title: { uk, en },
  words,
})
const sounds = (
  kind: string,
  uk: string,
  en: string,
  capability: 'jingles' | 'phrases' | 'backgroundMusic',
): Place => ({
  part: 'sounds',
  query: { kind },
  title: { uk, en },
  words: 'sounds upload звуки завантажити',
  access: { capabilities: [capability] },
})
const station = (tab: string, uk: string, en: string, words: string, access: AccessRule): Place => ({
  part: 'station',
  query: { tab },
  title: { uk, en },
  words,
  access,
})
const history = (tab: string, uk: string, en: string, words: string, access: AccessRule): Place => ({
  part: 'history',
  query: { tab },
  title: { uk, en },
  words,
  access,
})

const watch = (tab: string, uk: string, en: string, words: string, access: AccessRule): Place => ({
  part: 'watch',
  query: { tab },
  title: { uk, en },
  words,
  access,
})

/** Where the settings and lists of the panel are, for the palette. */
export const places: readonly Place[] = [
  programme(
    'day',
    'Програма дня',
    'Day programme',
    'algorithm shuffle sections playlist length artist groups алгоритм випадково секції тривалість плейлист групи виконавців',
  ),
  programme(
    'night',
    'Програма ночі',
    'Night programme',
    'algorithm shuffle sections playlist length artist groups алгоритм випадково секції тривалість плейлист групи виконавців',
  ),
  programme(
    'clips',
    'Частота джинглів і фраз',
    'How often jingles and phrases play',
    'settings frequency налаштування',
  ),
  programme('blocks', 'Групи пісень', 'Song groups', 'settings blocks cooldown набори налаштування'),
  programme(
    'extras',
    'Гості й зображення виконавців',
    'Guests and artwork',
    'settings guest minutes hosts talk artist pictures налаштування ведучі хвилини розмова',
  ),
  sounds('jingles', 'Джингли', 'Jingles', 'jingles'),
  sounds('phrases', 'Фрази', 'Phrases', 'phrases'),
  sounds('background-music', 'Фонова музика', 'Background music', 'backgroundMusic'),
  {
    part: 'add',
    query: { from: 'links' },
    title: { uk: 'Пісні за посиланнями', en: 'Songs from video links' },
    words: 'youtube playlist cookies відео плейлист',
  },
  {
    part: 'live',
    query: { view: 'moderation' },
    title: { uk: 'Модерація ефіру', en: 'Moderation' },
    words: 'bans roster guest code блокування гості код',
    access: { allOf: ['radio_moderator'] },
  },
  {
    part: 'donations',
    query: { view: 'prices' },
    title: { uk: 'Ціни пісень', en: 'Prices of songs' },
    words: 'settings tiers currency налаштування рівні валюта',
  },
  station(
    'branding',
    'Вигляд станції',
    'Branding',
    'settings name messenger link directories genre назва посилання каталоги жанр',
    {
      allOf: ['settings_branding'],
    },
  ),
  station('artwork', 'Зображення виконавців', 'Artist images', 'pictures crop фото кадрувати', {
    allOf: ['artist_arts'],
    capabilities: ['artistArts'],
  }),
  station('helpers', 'Помічники', 'Helpers', 'admins rights privileges sessions адміни права', {
    super: true,
    capabilities: ['helperAdmins'],
  }),
  station('jobs', 'Фонові завдання', 'Jobs', 'background failed retry помилки', { super: true }),
  station('links', 'Посилання й QR-коди', 'Links and QR codes', 'stream embed player потік плеєр', {}),
  station('set-up', 'Налаштування станції', 'Set-up', 'settings capabilities backup резервна копія', {}),
  history('plays', 'Що звучало', 'Played songs', 'history export історія', {
    allOf: ['stats'],
    capabilities: ['history'],
  }),
  history('statistics', 'Статистика бібліотеки', 'Statistics', 'artists years export виконавці роки', {
    allOf: ['stats'],
  }),
  history('audit', 'Журнал дій', 'Audit log', 'who did what хто що зробив', { capabilities: ['auditLog'] }),
  watch('alarms', 'Тривоги', 'Alarms', 'monitor silence моніторинг тиша', { allOf: ['stats'] }),
  watch('aircheck', 'Запис ефіру', 'Aircheck', 'recording what was on cut вирізати що звучало', {
    allOf: ['stats'],
  }),
  watch('webhooks', 'Вебхуки', 'Webhooks', 'settings events налаштування події', {
    super: true,
    capabilities: ['editSettings'],
  }),
]
