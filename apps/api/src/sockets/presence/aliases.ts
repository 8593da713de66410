import type { Localized } from '@solstice/contracts'

/** The name and avatar of a connection in the roster. */
export interface Alias {
  name: Localized
  /** File name of the avatar in `apps/api/assets/avatars`; drawn by `tools/draw-avatars.ts`. */
  img: string
}

const alias = (img: string, uk: string, en: string): Alias => ({ name: { uk, en }, img: `${img}.png` })

/**
 * The names of listeners and helper admins. Nobody types a name, so nobody can type an offensive one. They imply no gender, place
 * or language, and each has its own avatar.
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

/** Reserved for the super admin, so that everybody can tell. */
export const superAdminAlias: Alias = alias('solstice', 'Сонцестояння', 'Solstice')

/** The name of an alias when a helper admin has it. */
export function adminName({ uk, en }: Localized): Localized {
  return { uk: `Адмін ${uk}`, en: `Admin ${en}` }
}
