import type { Settings } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { badLength } from './fields.ts'

/** The entry of this station for directories of radio stations. */
export type DirectoryEntry = Settings['branding']['directory']

const MAX_GENRE = 60
const FORMS = [
  ['countryCode', /^[A-Z]{2}$/, 'not_a_country'],
  ['languageCodes', /^[a-z]{2,3}(,[a-z]{2,3}){0,9}$/, 'not_languages'],
] as const

/** Checks an entry for directories; every text may be empty. @throws Failure BAD_REQUEST with the field and the reason. */
export function checkDirectory(entry: DirectoryEntry): void {
  const refuse = (name: keyof DirectoryEntry, reason: string) =>
    new Failure('BAD_REQUEST', { field: `branding.directory.${name}`, reason })
  if ([...entry.genre].length > MAX_GENRE) throw badLength('branding.directory.genre', 0, MAX_GENRE)
  for (const name of ['url', 'logo', 'mainStreamUrl'] as const)
    if (entry[name] && !isAddress(entry[name])) throw refuse(name, 'not_an_address')
  for (const [name, form, reason] of FORMS)
    if (entry[name] && !form.test(entry[name])) throw refuse(name, reason)
  if (entry.geoLatLong && !isPlace(entry.geoLatLong)) throw refuse('geoLatLong', 'not_a_place')
}

/** An address that stands in a header as it is. */
function isAddress(text: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(text) && URL.canParse(text)
}

function isPlace(text: string): boolean {
  if (!/^-?\d{1,3}(\.\d{1,15})?,-?\d{1,3}(\.\d{1,15})?$/.test(text)) return false
  const [north = 0, east = 0] = text.split(',').map(Number)
  return Math.abs(north) <= 90 && Math.abs(east) <= 180
}
