import { nextDueMs, type PlayoutState, type TrackRef } from '@solstice/playout'
import { type Bus, type DataStore, MONO_LOSS_DB, type StationClock } from '@solstice/station'

/** The beginning of a track is corrected by less. */
const CORRECTION_MS = 1_000
/** A track may be measured while it is on air, and the store may be away. */
const MEASURE_AGAIN_MS = 5_000

/** The air as the station states it. */
export interface Plan {
  /** Since when sound is due without a break; null = none is due. */
  soundSinceMs: number | null
  /** As players show it. */
  title: string
  /** Since when this track is on air. */
  titleSinceMs: number
  trackId: string
  /** The entry that is heard, and the moment of its position 0; null while it is no track. */
  entryId: string | null
  startedAtMs: number | null
  /** Loudness of the track as it is played, LUFS; null = unknown. */
  lufs: number | null
  /** dB relative to the file. */
  gainDb: number
  /** Microphones are open, and lower the music. */
  hasVoices: boolean
  /** Moment at which time changes the state next; null = never. */
  dueMs: number | null
}

/** Follows the plan until `signal` is aborted. */
export async function followPlan(
  deps: { bus: Pick<Bus, 'follow'>; clock: StationClock; data: Pick<DataStore, 'measurements'> },
  signal: AbortSignal,
  measureAgainMs = MEASURE_AGAIN_MS,
) {
  const { bus, clock, data } = deps
  let plan: Plan | null = null
  let lufs: number | null = null
  let measured = ''

  const measure = async (trackId: string) => {
    const found = await data.measurements.get(trackId).catch(() => null)
    if (measured !== trackId || !plan) return
    lufs = found?.lufs == null ? null : found.lufs - (found.isMono ? MONO_LOSS_DB : 0)
    plan = { ...plan, lufs: lufs === null ? null : lufs + plan.gainDb }
  }
  const unfollow = await bus.follow((state) => {
    const { onAir } = state
    const trackId = 'entry' in onAir ? (onAir.entry?.track.id ?? '') : ''
    if (trackId !== measured) lufs = null
    plan = planOf(state, plan, () => lufs, clock.nowMs())
    if (trackId === measured) return
    measured = trackId
    void measure(trackId)
  })
  const again = setInterval(() => {
    if (measured !== '' && lufs === null) void measure(measured)
  }, measureAgainMs)
  const stop = () => {
    clearInterval(again)
    unfollow()
  }
  signal.addEventListener('abort', stop, { once: true })
  return {
    get now() {
      return plan
    },
    /** The plan with its moments in the time of this process, in which it is `nowMs`. */
    inTimeOf(nowMs: number): Plan | null {
      const toOwn = nowMs - clock.nowMs()
      return (
        plan && {
          ...plan,
          soundSinceMs: plan.soundSinceMs === null ? null : plan.soundSinceMs + toOwn,
          titleSinceMs: plan.titleSinceMs + toOwn,
        }
      )
    },
  }
}

/**
 * The plan after a state, which goes on from the plan before it.
 *
 * @param loudnessOf integrated loudness of a track's file, LUFS; null = unknown.
 */
export function planOf(
  state: PlayoutState,
  before: Plan | null,
  loudnessOf: (trackId: string) => number | null,
  nowMs: number,
): Plan {
  const { onAir, live } = state
  const dueMs = nextDueMs(state)
  const hasVoices = live.participants.length > 0
  if (onAir.phase !== 'track' && onAir.phase !== 'jingle')
    return { ...nothing, titleSinceMs: nowMs, dueMs, hasVoices }
  const { track, entryId } = onAir.entry
  const title = titleOf(track)
  const isTrack = onAir.phase === 'track'
  const isSame = before !== null && before.title === title && before.soundSinceMs !== null
  const movedMs =
    isTrack && isSame && before.startedAtMs !== null ? onAir.startedAtMs - before.startedAtMs : 0
  const goesOn = isSame && isTrack === (before.entryId !== null) && Math.abs(movedMs) < CORRECTION_MS
  return {
    soundSinceMs: before?.soundSinceMs ?? nowMs,
    title,
    titleSinceMs: goesOn ? before.titleSinceMs : nowMs,
    trackId: track.id,
    entryId: isTrack ? entryId : null,
    startedAtMs: isTrack ? onAir.startedAtMs : null,
    lufs: plannedLoudness(track, loudnessOf(track.id)),
    gainDb: track.cuePoints?.gainDb ?? 0,
    hasVoices,
    dueMs,
  }
}

const nothing = {
  soundSinceMs: null,
  title: '',
  trackId: '',
  entryId: null,
  startedAtMs: null,
  lufs: null,
  gainDb: 0,
}

/** As ICY names it. */
export function titleOf({ artist, title }: Pick<TrackRef, 'artist' | 'title'>): string {
  return [artist, title]
    .map((text) => text.trim())
    .filter(Boolean)
    .join(' - ')
}

function plannedLoudness({ cuePoints }: TrackRef, lufs: number | null): number | null {
  return lufs === null ? null : lufs + (cuePoints?.gainDb ?? 0)
}
