import type { Localized } from '@solstice/contracts'

/** A face and a name that a connection wears in the roster. */
export interface Alias {
  name: Localized
  /** File name of the avatar in `apps/api/assets/avatars`; drawn by `tools/draw-avatars.ts`. */
  img: string
}

const alias = (img: string, uk: string, en: string): Alias => ({ name: { uk, en }, img: `${img}.png` })

/**
 * What listeners and helper admins are called: nobody types a name, so nobody can type a bad one. The names say
 * nothing of sex, place or language; each has an avatar of its own.
 */
export const aliases: readonly Alias[] = [
  alias('dawn', 'Світанок', 'Daybreak'),
  alias('noon', 'Полудень', 'High Noon'),
  alias('dusk', 'Надвечір’я', 'Eventide'),
  alias('crescent', 'Молодик', 'Crescent'),
  alias('full-moon', 'Повня', 'Full Moon'),
  alias('morning-star', 'Зоряниця', 'Morning Star'),
  alias('hills', 'Пагорби', 'Soft Hills'),
  alias('peaks', 'Три вершини', 'Three Peaks'),
  alias('moon-path', 'Місячна доріжка', 'Moon Path'),
  alias('waves', 'Хвиля', 'Wave'),
  alias('tide', 'Приплив', 'High Tide'),
  alias('lighthouse', 'Маяк', 'Lighthouse'),
  alias('meadow', 'Лука', 'Meadow'),
  alias('pines', 'Сосни', 'Pines'),
  alias('dew', 'Роса', 'Dew'),
  alias('comet', 'Комета', 'Comet'),
  alias('eclipse', 'Затемнення', 'Eclipse'),
  alias('rainbow', 'Веселка', 'Rainbow'),
  alias('cloud', 'Хмаринка', 'Little Cloud'),
  alias('rain', 'Теплий дощ', 'Warm Rain'),
  alias('snow', 'Перший сніг', 'First Snow'),
  alias('island', 'Острів', 'Island'),
  alias('footbridge', 'Місток', 'Footbridge'),
  alias('dunes', 'Дюни', 'Dunes'),
  alias('sail', 'Вітрило', 'Sail'),
  alias('swallows', 'Ластівки', 'Swallows'),
]

/** Worn by the super admin alone, so that everybody can tell. */
export const superAdminAlias: Alias = alias('solstice', 'Сонцестояння', 'Solstice')

/** What a persona is called when a helper admin wears it. */
export function adminName({ uk, en }: Localized): Localized {
  return { uk: `Адмін ${uk}`, en: `Admin ${en}` }
}
