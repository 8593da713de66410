import type { Locale } from '@solstice/contracts'
import { useAdmin } from '../data/panel.ts'

const uk = {
  title: 'Каталоги радіо',
  about:
    'Це читають каталоги станцій і деякі програвачі із заголовків потоку та зі /status-json.xsl. Порожніх полів не надсилаємо.',
  isPublic: 'Каталоги можуть показувати станцію й довіряти цим даним',
  fields: {
    description: 'Опис',
    genre: 'Жанри',
    url: 'Сайт станції',
    logo: 'Логотип',
    countryCode: 'Країна',
    languageCodes: 'Мови ефіру',
    geoLatLong: 'Координати',
    mainStreamUrl: 'Головна адреса потоку',
  },
  hints: {
    description: 'До 200 знаків.',
    genre: 'Через кому, наприклад Ambient,Folk.',
    url: 'Якщо порожньо — адреса станції.',
    logo: 'Адреса зображення JPEG або PNG.',
    countryCode: 'Код із двох літер, наприклад UA.',
    languageCodes: 'Коди через кому, наприклад uk,en.',
    geoLatLong: 'Широта й довгота, наприклад 50.45,30.52.',
    mainStreamUrl: 'Якщо в каталозі має бути інша адреса.',
  },
}

const en: typeof uk = {
  title: 'Radio directories',
  about:
    'Radio directories and some players read this from the headers of the stream and from /status-json.xsl. Empty fields aren’t sent.',
  isPublic: 'Directories may list the station and trust what it says here',
  fields: {
    description: 'Description',
    genre: 'Genres',
    url: 'Website',
    logo: 'Logo',
    countryCode: 'Country',
    languageCodes: 'Languages on air',
    geoLatLong: 'Coordinates',
    mainStreamUrl: 'Main address of the stream',
  },
  hints: {
    description: 'Up to 200 characters.',
    genre: 'Separated by commas, such as Ambient,Folk.',
    url: 'If empty, the address of the station.',
    logo: 'Address of a JPEG or PNG image.',
    countryCode: 'A two-letter code, such as UA.',
    languageCodes: 'Codes separated by commas, such as uk,en.',
    geoLatLong: 'Latitude and longitude, such as 50.45,30.52.',
    mainStreamUrl: 'If directories should list another address.',
  },
}

const texts: Record<Locale, typeof uk> = { uk, en }
export const useDirectoryTexts = (): typeof uk => texts[useAdmin().locale]
