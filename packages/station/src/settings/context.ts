import { type Mode, modes, type Track } from '@solstice/contracts'
import { clipFamilies } from '../clips/clips.ts'
import { libraryOf } from '../library/library.ts'
import type { DataStore } from '../ports/data/data-store.ts'

/** Facts that settings are checked against. */
export interface SettingsContext {
  library: Record<Mode, readonly Readonly<Track>[]>
  /** The modes that come on the air. */
  activeModes: readonly Mode[]
  usablePhrases: Record<Mode, number>
  /** Usable phrases that each mode needs. */
  phrasesRequired: number
}

export async function settingsContext(
  data: Pick<DataStore, 'tracks' | 'clips'>,
  nightMode: boolean,
): Promise<SettingsContext> {
  const [day, night, phrases] = await Promise.all([
    libraryOf(data, 'day'),
    libraryOf(data, 'night'),
    data.clips.find({ family: 'phrases', used: true }),
  ])
  const usable = (mode: Mode) => phrases.filter((phrase) => phrase.mode === mode).length
  return {
    library: { day, night },
    activeModes: activeModes(nightMode, { day, night }),
    usablePhrases: { day: usable('day'), night: usable('night') },
    phrasesRequired: clipFamilies.phrases.minRequired,
  }
}

/** The modes that come on the air: one without music does not, unless both have none. */
function activeModes(nightMode: boolean, library: SettingsContext['library']): Mode[] {
  if (!nightMode) return ['day']
  const withMusic = modes.filter((mode) => library[mode].length > 0)
  return withMusic.length > 0 ? withMusic : [...modes]
}
