import type { Localized } from '@solstice/contracts'

/** A face and a name that a connection wears in the roster. */
export interface Persona {
  name: Localized
  /** File name of the avatar in `apps/api/assets/avatars`; drawn by `tools/draw-avatars.ts`. */
  img: string
}

const persona = (img: string, uk: string, en: string): Persona => ({ name: { uk, en }, img: `${img}.png` })

/**
 * What listeners and helper admins are called: nobody types a name, so nobody can type a bad one. The names say
 * nothing of sex, place or language; each has an avatar of its own.
 */
export const personas: readonly Persona[] = [
  persona('dawn', 'Світанок', 'Daybreak'),
  persona('noon', 'Полудень', 'High Noon'),
  persona('dusk', 'Надвечір’я', 'Eventide'),
  persona('crescent', 'Молодик', 'Crescent'),
  persona('full-moon', 'Повня', 'Full Moon'),
  persona('morning-star', 'Зоряниця', 'Morning Star'),
  persona('hills', 'Пагорби', 'Soft Hills'),
  persona('peaks', 'Три вершини', 'Three Peaks'),
  persona('moon-path', 'Місячна доріжка', 'Moon Path'),
  persona('waves', 'Хвиля', 'Wave'),
  persona('tide', 'Приплив', 'High Tide'),
  persona('lighthouse', 'Маяк', 'Lighthouse'),
  persona('meadow', 'Лука', 'Meadow'),
  persona('pines', 'Сосни', 'Pines'),
  persona('dew', 'Роса', 'Dew'),
  persona('comet', 'Комета', 'Comet'),
  persona('eclipse', 'Затемнення', 'Eclipse'),
  persona('rainbow', 'Веселка', 'Rainbow'),
  persona('cloud', 'Хмаринка', 'Little Cloud'),
  persona('rain', 'Теплий дощ', 'Warm Rain'),
  persona('snow', 'Перший сніг', 'First Snow'),
  persona('island', 'Острів', 'Island'),
  persona('footbridge', 'Місток', 'Footbridge'),
  persona('dunes', 'Дюни', 'Dunes'),
  persona('sail', 'Вітрило', 'Sail'),
  persona('swallows', 'Ластівки', 'Swallows'),
]

/** Worn by the super admin alone, so that everybody can tell. */
export const superAdminPersona: Persona = persona('solstice', 'Сонцестояння', 'Solstice')

/** What a persona is called when a helper admin wears it. */
export function adminName({ uk, en }: Localized): Localized {
  return { uk: `Адмін ${uk}`, en: `Admin ${en}` }
}
