import { locales, modes, type Settings } from '@solstice/contracts'
import { groupInPieces } from '@solstice/playout'
import { Failure } from '../core/failure.ts'
import { withBreaks } from '../core/turns/breaks.ts'
import { durationOf, limitsOf, phraseTime } from './bounds.ts'
import { isSame } from './changes.ts'
import type { SettingsContext } from './context.ts'
import { checkDirectory } from './directory.ts'
import {
  badLength,
  clamp,
  type Generation,
  GUEST_MINUTES,
  generationFields,
  MIN_PLAYLIST_S,
  type Range,
  type SectionName,
} from './fields.ts'

/**
 * Checks a section that differs from the stored one, and sets fields that follow the library to its bounds.
 *
 * @throws Failure BAD_REQUEST with the field and the reason.
 */
export async function checkSection<S extends SectionName>(
  section: S,
  before: Settings[S],
  after: Settings[S],
  context: SettingsContext,
): Promise<Settings[S]> {
  const checks: {
    [N in SectionName]: (before: Settings[N], after: Settings[N]) => Settings[N] | Promise<Settings[N]>
  } = {
    branding: checkBranding,
    generation: (before, after) => checkGeneration(before, after, context),
    radioHosts: checkRadioHosts,
    artistArts: (_, after) => after,
  }
  return checks[section](before, after)
}

function checkBranding(before: Settings['branding'], after: Settings['branding']): Settings['branding'] {
  for (const locale of locales) {
    for (const [name, value] of Object.entries(after.byLang[locale])) {
      checkLength(value, `branding.byLang.${locale}.${name}`, 2, 25)
    }
  }
  // A station that has no messenger yet may still change its names.
  if (after.messenger_url !== before.messenger_url) {
    const field = 'branding.messenger_url'
    checkLength(after.messenger_url, field, 2, 50)
    if (!/^https?:\/\//i.test(after.messenger_url) || !URL.canParse(after.messenger_url))
      throw new Failure('BAD_REQUEST', { field, reason: 'not_an_address' })
  }
  checkDirectory(after.directory)
  return after
}

function checkRadioHosts(
  _before: Settings['radioHosts'],
  after: Settings['radioHosts'],
): Settings['radioHosts'] {
  for (const name of ['guestMaxDurationMinutes', 'specialGuestMaxDurationMinutes'] as const) {
    checkRange(after[name], `radioHosts.${name}`, GUEST_MINUTES)
  }
  if (!['random', 'hostChoice'].includes(after.backgroundMusicMode))
    throw new Failure('BAD_REQUEST', { field: 'radioHosts.backgroundMusicMode' })
  return after
}

async function checkGeneration(
  before: Generation,
  after: Generation,
  context: SettingsContext,
): Promise<Generation> {
  const { library, activeModes, usablePhrases, phrasesRequired } = context
  const short = activeModes.find((mode) => durationOf(library[mode]) < MIN_PLAYLIST_S)
  if (short) throw new Failure('BAD_REQUEST', { field: 'generation', reason: 'library_short', mode: short })

  const checked = { ...after, PHRASES_TIME_SECONDS: clamp(after.PHRASES_TIME_SECONDS, phraseTime(library)) }
  for (const mode of modes) {
    const { useAll, maxDuration, sections, songsPerSection, groups } = generationFields[mode]
    const grouped = await withBreaks(groupInPieces(library[mode], after[groups]))
    const limits = limitsOf(mode, library[mode], grouped)
    if (after[useAll]) checked[maxDuration] = limits.maxDuration.max
    // A stored length that the library has become too short for is not the mistake of this admin.
    else if (after[maxDuration] === before[maxDuration])
      checked[maxDuration] = clamp(after[maxDuration], limits.maxDuration)
    else checkRange(after[maxDuration], `generation.${maxDuration}`, limits.maxDuration)

    for (const { flag, refusal } of [limits.sections, limits.groupSections]) {
      if (after[flag] && refusal) throw new Failure('BAD_REQUEST', refusal)
    }
    if (!after[sections]) continue
    const isKept = [sections, songsPerSection, groups].every((key) => isSame(after[key], before[key]))
    if (isKept) checked[songsPerSection] = clamp(after[songsPerSection], limits.songsPerSection)
    else checkRange(after[songsPerSection], `generation.${songsPerSection}`, limits.songsPerSection)
  }

  const isTurnedOn = after.PHRASES_ENABLED && !before.PHRASES_ENABLED
  if (isTurnedOn && activeModes.some((mode) => usablePhrases[mode] < phrasesRequired))
    throw new Failure('BAD_REQUEST', {
      field: 'generation.PHRASES_ENABLED',
      reason: 'phrases_few',
      minRequired: phrasesRequired,
    })
  return checked
}

function checkLength(text: string, field: string, min: number, max: number): void {
  const { length } = [...text]
  if (length < min || length > max) throw badLength(field, min, max)
}

function checkRange(value: number, field: string, { min, max }: Range): void {
  if (value < min || value > max)
    throw new Failure('BAD_REQUEST', { field, reason: 'out_of_range', min, max })
}
