import { type Audit, changedFields } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import { cuePointsOf, type LoudnessRules } from '../library/loudness.ts'
import type { Actor } from '../ports/accounts.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus } from '../ports/bus.ts'
import type { DataStore, MeasurementRecord, TrackRecord } from '../ports/data/data-store.ts'
import type { Log } from '../ports/log.ts'

/** Seconds. `cueOut` null = the end of the file, or not set. */
interface Range {
  cueIn: number | null
  cueOut: number | null
}

export interface TrackCuePoints extends Range {
  /** Seconds; null when unknown. */
  duration: number | null
  /** null when it is not measured yet. */
  measured: { cueIn: number; cueOut: number | null } | null
  /** The part that the stream plays from the next start on. */
  heard: { cueIn: number; cueOut: number | null }
}

/** A track is heard at least this long, s. */
const MIN_HEARD_S = 1
/** Bound of cue points of tracks of unknown length, s. */
const MAX_LENGTH_S = 86_400

type CueData = Pick<DataStore, 'tracks' | 'measurements'>

/** Reads the cue points of a track: set by an admin (`cueIn`, `cueOut`), measured, and heard. @throws Failure TRACK_NOT_FOUND */
export async function readCuePoints(
  data: CueData,
  rules: LoudnessRules,
  trackId: string,
): Promise<TrackCuePoints> {
  const [track, measured] = await Promise.all([data.tracks.get(trackId), data.measurements.get(trackId)])
  if (!track) throw new Failure('TRACK_NOT_FOUND')
  return describe(track, measured, rules)
}

/**
 * Sets or clears (null) cue points of a track; what is not sent stays. They apply from its next start on, in stream mode.
 *
 * @returns whether anything changed.
 * @throws Failure TRACK_NOT_FOUND; BAD_REQUEST when less than a second within the length of the track would be heard.
 */
export async function setCuePoints(
  deps: {
    data: CueData
    bus: Pick<Bus, 'send'>
    announcer: Announcer
    audit: Audit
    log: Log
    config: LoudnessRules
  },
  actor: Actor,
  trackId: string,
  sent: Partial<Range>,
): Promise<{ cuePoints: TrackCuePoints; isChanged: boolean }> {
  const { data, bus, announcer, audit, log, config } = deps
  const before = await readCuePoints(data, config, trackId)
  const { cueIn = before.cueIn, cueOut = before.cueOut } = sent
  const range = { cueIn: cueIn && inMs(cueIn) / 1000, cueOut: cueOut && inMs(cueOut) / 1000 }
  checkRange(range, before)
  const changes = changedFields<Range>(before, range, ['cueIn', 'cueOut'])
  if (changes.length === 0) return { cuePoints: before, isChanged: false }

  const change = { cueInMs: inMs(range.cueIn), cueOutMs: inMs(range.cueOut) }
  if ((await data.tracks.update({ id: trackId }, change)) === 0) throw new Failure('TRACK_NOT_FOUND')
  const { title, artist } = (await data.tracks.get(trackId)) ?? { title: '', artist: '' }
  await audit.record(actor, 'edit_song_meta', { title, artist }, { changes })
  announcer.announce('library_updated')
  await bus.send({ type: 'cue-points-changed' }).catch((error) => {
    // A worker that acquires the lease later reads the cue points by itself.
    log.warn({ err: error }, 'new cue points not delivered to a worker')
  })
  return { cuePoints: await readCuePoints(data, config, trackId), isChanged: true }
}

/** @throws Failure BAD_REQUEST */
function checkRange({ cueIn, cueOut }: Range, { duration, measured }: TrackCuePoints): void {
  const length = duration ?? MAX_LENGTH_S
  const end = cueOut ?? Math.min(length, measured?.cueOut ?? length)
  const refuse = (field: keyof Range, min: number, max: number) => {
    throw new Failure('BAD_REQUEST', { field, reason: 'out_of_range', min, max })
  }
  if (cueOut !== null && (cueOut < MIN_HEARD_S || cueOut > length)) refuse('cueOut', MIN_HEARD_S, length)
  const last = Math.max(0, inMs(end - MIN_HEARD_S) / 1000)
  if (cueIn !== null && (cueIn < 0 || cueIn > last)) refuse('cueIn', 0, last)
  const start = cueIn ?? measured?.cueIn ?? 0
  if (cueOut !== null && cueOut < start + MIN_HEARD_S)
    refuse('cueOut', inMs(start + MIN_HEARD_S) / 1000, length)
}

function describe(
  track: Readonly<TrackRecord>,
  measured: Readonly<MeasurementRecord> | null,
  rules: LoudnessRules,
): TrackCuePoints {
  const { duration, cueInMs = null, cueOutMs = null } = track
  const heard = cuePointsOf(measured, rules, track)
  return {
    duration,
    cueIn: inSeconds(cueInMs),
    cueOut: inSeconds(cueOutMs),
    measured: measured && { cueIn: measured.startMs / 1000, cueOut: inSeconds(measured.endMs) },
    heard: { cueIn: heard.startMs / 1000, cueOut: inSeconds(heard.endMs) },
  }
}

function inMs<S extends number | null>(seconds: S): S {
  return (seconds === null ? null : Math.round(seconds * 1000)) as S
}

const inSeconds = (ms: number | null) => ms && ms / 1000
