import type { Config } from '@solstice/adapters'
import type { DataStore, MediaStorage } from '@solstice/station'
import type { Broadcast } from './broadcast.ts'
import { decodePart } from './ear/decoder.ts'
import { LOOP_HELD_MS, LOOP_SEARCH_MS, loopIn, repeatsAt } from './ear/loops.ts'
import type { RecentSound } from './ear/recent-sound.ts'
import { createSoundMeter } from './ear/sound-meter.ts'
import type { Findings, Heard } from './judge.ts'
import type { Plan } from './plan.ts'

/** A verdict is looked at anew after this long. */
const VERDICT_MS = 2_000
const METERED_MS = 2_500
/** Quieter than the whole track by this much may be a fault, */
const SUSPECT_DB = 12
/** and is one when the file is not quiet there. */
const QUIET_DB = 8
/** Sound around the beginning and end of a track that is a mix. */
const MARGIN_MS = 5_000
/** Where the sound is within the file is known to this much; a loop of the music may begin or end meanwhile. */
const OFF_MS = 1_000

export interface InspectorDeps {
  config: Pick<Config, 'ffmpegPath' | 'crossfadeMs'>
  data: Pick<DataStore, 'tracks'>
  media: Pick<MediaStorage, 'source'>
}

/** Where an ear is within a track. */
export interface Place {
  trackId: string
  positionMs: number
  /** Since the track began to be heard, and until it ends. */
  sinceMs: number
  leftMs: number
}

type Suspicion = { is: 'quiet'; lufs: number } | { is: 'loop'; lagMs: number }

/**
 * Listens into the file of the track when the sound is suspect: music has quiet passages and loops as well. A fault is what the
 * file has not.
 */
export function createInspector(deps: InspectorDeps) {
  let suspected: Suspicion['is'] | null = null
  let judgedMs = Number.NEGATIVE_INFINITY
  let findings: Findings = new Map()

  return {
    /** The findings so far; asks the file beside it. */
    look(heard: Heard, sound: RecentSound, place: Place | null, plan: Plan | null, nowMs: number): Findings {
      const suspicion = place && plan && isAlone(place, plan, deps) ? suspect(heard, sound, plan) : null
      if (suspicion?.is !== suspected) {
        findings = new Map()
        judgedMs = Number.NEGATIVE_INFINITY
      }
      suspected = suspicion?.is ?? null
      if (!suspicion || nowMs - judgedMs < VERDICT_MS) return findings
      judgedMs = nowMs
      askFile(deps, suspicion, place!, plan!).then(
        (found) => {
          if (suspected === suspicion.is) findings = found
        },
        () => {},
      )
      return findings
    },
  }
}

/** Where a frame is within the track that was broadcast; null where no track is heard. */
export function placeAt(broadcast: Broadcast, frame: number): Place | null {
  const marker = broadcast.markerAt(frame)
  if (!marker || marker.entryId === null || marker.jingle || marker.chat) return null
  const sinceMs = (frame - marker.frame) * broadcast.frameMs
  const positionMs = marker.positionMs + sinceMs
  return {
    trackId: marker.trackId,
    positionMs,
    sinceMs: Math.max(sinceMs, positionMs - (marker.cuePoints?.startMs ?? 0)),
    leftMs: (marker.cuePoints?.endMs ?? marker.durationMs ?? Number.POSITIVE_INFINITY) - positionMs,
  }
}

/** True where nothing but the track is heard. */
function isAlone({ trackId, sinceMs, leftMs }: Place, plan: Plan, { config }: InspectorDeps): boolean {
  const marginMs = config.crossfadeMs + MARGIN_MS
  return trackId === plan.trackId && !plan.hasVoices && sinceMs > marginMs && leftMs > marginMs
}

function suspect(
  { loudness, silentMs, repetition }: Heard,
  sound: RecentSound,
  plan: Plan,
): Suspicion | null {
  if (silentMs > 0 || loudness === null) return null
  if (plan.lufs !== null && loudness < plan.lufs - SUSPECT_DB) return { is: 'quiet', lufs: loudness }
  if (repetition && repetition.lengthMs > LOOP_HELD_MS) return { is: 'loop', lagMs: repetition.lagMs }
  const lagMs = loopIn(sound.last(LOOP_SEARCH_MS))
  return lagMs === null ? null : { is: 'loop', lagMs }
}

async function askFile(
  { config, data, media }: InspectorDeps,
  suspicion: Suspicion,
  { trackId, positionMs }: Place,
  { gainDb }: Plan,
): Promise<Findings> {
  const track = await data.tracks.get(trackId)
  if (!track) return new Map()
  const path = await media.source(track.storageKey)
  const decode = (fromMs: number, toMs: number) => {
    const startMs = Math.max(0, fromMs)
    return decodePart(config.ffmpegPath, path, { fromMs: startMs, lengthMs: toMs - startMs })
  }
  if (suspicion.is === 'loop') {
    const { lagMs } = suspicion
    const pcm = await decode(positionMs - lagMs - LOOP_HELD_MS - OFF_MS, positionMs + OFF_MS)
    if (repeatsAt(pcm, lagMs)) return new Map()
    const evidence = `sound of ${Math.round(lagMs)} ms ago comes again, and does not in the file`
    return new Map([['repeating', evidence]])
  }
  const meter = createSoundMeter()
  meter.add(await decode(positionMs - METERED_MS, positionMs))
  const due = meter.now === null ? Number.NEGATIVE_INFINITY : meter.now + gainDb
  if (suspicion.lufs > due - QUIET_DB) return new Map()
  return new Map([['loudness', `${suspicion.lufs.toFixed(1)} LUFS; ${due.toFixed(1)} LUFS in the file`]])
}
