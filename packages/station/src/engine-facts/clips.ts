import type { ClipFamily, Mode, Settings } from '@solstice/contracts'
import type { ClipRef, UsableClips } from '@solstice/playout'
import { clipFamilies, clipMedia } from '../clips/clips.ts'
import type { ClipRecord, DataStore } from '../ports/data/data-store.ts'
import { capabilitiesOf, type Deployment } from '../settings/capabilities.ts'
import { readSettings } from '../settings/settings.ts'

/** Default time between the beginning of a phrase and the end of its track. */
const PHRASE_OFFSET_MS = 15_000
const MIN_OFFSET_S = 5
const MAX_OFFSET_S = 30

/** The clips that may go on air, and how, by the stored settings and the capabilities of this station. */
export async function usableClips(
  data: Pick<DataStore, 'clips' | 'settings'>,
  station: Deployment,
): Promise<UsableClips> {
  return clipsBy(await readSettings(data), data, station)
}

/** … by other settings. */
export async function clipsBy(
  { generation, radioHosts }: Settings,
  data: Pick<DataStore, 'clips'>,
  station: Deployment,
): Promise<UsableClips> {
  const capabilities = capabilitiesOf(station)
  const usable = async (family: ClipFamily, isOn: boolean) => {
    const clips = isOn ? await data.clips.find({ family, used: true }) : []
    const ofMode = (mode: Mode) => clips.filter((clip) => clip.mode === mode).map(clipRef)
    return { day: ofMode('day'), night: ofMode('night') }
  }
  const [jingles, phrases, background] = await Promise.all([
    usable('jingles', capabilities.jingles && generation.JINGLES_ENABLED),
    usable('phrases', capabilities.phrases && generation.PHRASES_ENABLED),
    usable('background-music', capabilities.backgroundMusic),
  ])
  const named = (clips: ClipRef[], id: string) =>
    generation.PHRASES_RANDOM ? clips : clips.filter((clip) => clip.id === id)
  const offsetS = Math.min(MAX_OFFSET_S, Math.max(MIN_OFFSET_S, generation.PHRASES_TIME_SECONDS))
  return {
    jingles: {
      usable: jingles,
      required: clipFamilies.jingles.minRequired,
      frequency: generation.JINGLES_RANDOM ? 'random' : generation.JINGLES_FREQUENCY,
    },
    phrases: {
      usable: {
        day: named(phrases.day, generation.PHRASES_DAY_ID),
        night: named(phrases.night, generation.PHRASES_NIGHT_ID),
      },
      offsetMs: generation.PHRASES_DEFAULT_TIME ? PHRASE_OFFSET_MS : offsetS * 1000,
    },
    background: {
      usable: background,
      chosenBy: radioHosts.backgroundMusicMode === 'hostChoice' ? 'hosts' : 'random',
    },
  }
}

function clipRef(clip: Readonly<ClipRecord>): ClipRef {
  const { id, duration } = clip
  return { id, media: clipMedia(clip), durationMs: duration === null ? null : Math.round(duration * 1000) }
}
