import { createHash } from 'node:crypto'
import type { Config } from '@solstice/adapters'
import {
  type Localized,
  listening,
  type Mode,
  type NowPlaying,
  type QueueItem,
  type UiSettings,
} from '@solstice/contracts'
import { advance, type OnAir, type PlayoutState, projectSync } from '@solstice/playout'
import { dateNow, scheduleOf, type WallClock } from '@solstice/station'
import type { AudibleAir } from '../air/audible.ts'
import type { Covers } from '../background/covers.ts'
import { streamPaths } from '../stream/paths.ts'

const MAX_AGE_MS = 1_000
/** Pixels. */
const COVER_SIZE = '512'

/** Snapshot of the air at a moment, for other sites and programs. */
export interface Snapshot {
  /** The reply for callers who reach the station under this origin. */
  replyFor(origin: string): NowPlaying
  /** The same while nothing but the position changed. */
  readonly etag: string
  /** The same also while people come and go. */
  readonly digest: string
}

/** Snapshots that all callers share. */
export interface Snapshots {
  /** At most a second old. */
  now(): Snapshot
  /** Makes the next one new. */
  renew(): void
}

export interface SnapshotDeps {
  air: AudibleAir
  clock: WallClock
  config: Pick<
    Config,
    | 'streamMode'
    | 'streamBitrate'
    | 'otherMounts'
    | 'timeZone'
    | 'nightMode'
    | 'dayStartHour'
    | 'nightStartHour'
  >
  uiSettings: () => UiSettings
  /** Number of listeners of all replicas. */
  audience: () => number
  covers: Pick<Covers, 'of'>
}

export function createSnapshots(deps: SnapshotDeps): Snapshots {
  let last: Snapshot | null = null
  let takenAtMs = 0
  return {
    now() {
      if (last && performance.now() - takenAtMs < MAX_AGE_MS) return last
      takenAtMs = performance.now()
      last = takeSnapshot(deps)
      return last
    },
    renew() {
      last = null
    },
  }
}

function takeSnapshot(deps: SnapshotDeps): Snapshot {
  const { air, clock, config } = deps
  const nowMs = clock.nowMs()
  const aheadMs = clock.aheadMs()
  const heardMs = air.audibleMs(nowMs)
  const state = air.state && advance(air.state, heardMs).state
  const radio = state && projectSync(state, nowMs, heardMs, aheadMs)
  const mode = radio?.mode ?? scheduleOf(config, dateNow(clock)).natural
  const beganMs = state && trackBeganMs(state.onAir)
  const song = radio && beganMs !== null ? { ...radio, id: radio.track ?? '' } : null
  const facts: Facts = {
    name: radioNames(deps.uiSettings(), mode),
    mode,
    state: stateOf(state),
    song: song && { ...shownTrack(song, deps), duration: song.duration || null },
    next: radio?.playlist[0] ? shownTrack(radio.playlist[0], deps) : null,
    live: liveCounts(state),
  }
  const listeners = deps.audience()
  const digest = JSON.stringify([facts, beganMs])
  const clockOf = {
    position: radio?.seek ?? 0,
    startedAt: Math.round((beganMs ?? 0) - aheadMs),
    at: Math.round(nowMs - aheadMs),
  }
  return {
    digest,
    etag: `W/"${createHash('sha256').update(`${listeners} ${digest}`).digest('base64url').slice(0, 22)}"`,
    replyFor: (origin) => replyOf(facts, { ...clockOf, listeners, origin }, config),
  }
}

/** Facts that stay the same while a track plays. */
interface Facts {
  name: Localized
  mode: Mode
  state: NowPlaying['state']
  song: (ShownTrack & { duration: number | null }) | null
  next: ShownTrack | null
  live: NowPlaying['live']
}

type ShownTrack = NonNullable<NowPlaying['next']>

function replyOf(
  { name, mode, state, song, next, live }: Facts,
  about: { position: number; startedAt: number; at: number; listeners: number; origin: string },
  config: SnapshotDeps['config'],
): NowPlaying {
  const { position, startedAt, at, listeners, origin } = about
  const addressed = <S extends ShownTrack>(one: S): S => ({ ...one, cover: one.cover && origin + one.cover })
  return {
    station: { name, url: `${origin}/` },
    mode,
    state,
    current: song && { ...addressed(song), position, startedAt },
    next: next && addressed(next),
    listeners,
    live,
    streams: streamPaths(config).map(({ path, ...stream }) => ({ url: origin + path, ...stream })),
    hls: config.streamMode ? origin + listening.getHls.path : null,
    at,
  }
}

/** The moment at which the track on air would have begun had it never been interrupted; null without a track. */
function trackBeganMs(onAir: OnAir): number | null {
  switch (onAir.phase) {
    case 'track':
      return onAir.startedAtMs
    case 'jingle':
      return onAir.startedAtMs - onAir.shownMs
    default:
      return null
  }
}

function stateOf(state: PlayoutState | null): NowPlaying['state'] {
  const phase = state?.onAir.phase ?? 'preparing'
  return phase === 'track' ? 'song' : phase
}

function liveCounts(state: PlayoutState | null): NowPlaying['live'] {
  const people = state?.live.participants ?? []
  const hosts = people.filter(({ role }) => role === 'host').length
  return { hosts, guests: people.length - hosts }
}

/** With the path of its cover. */
function shownTrack(item: QueueItem, { covers }: Pick<SnapshotDeps, 'covers'>): ShownTrack {
  const { id, title, artist, album = '', year = null, orderType } = item
  const cover = covers.of(id)
  const path = cover && listening.getCover.path.replace(':id', cover.id).replace(':size', COVER_SIZE)
  return { id, title, artist, album, year, orderType, cover: path }
}

/** The name of the station in a mode. */
function radioNames({ byLang }: UiSettings, mode: Mode): Localized {
  const nameIn = (lang: 'uk' | 'en') =>
    mode === 'night' ? byLang[lang].nightRadioName : byLang[lang].dayRadioName
  return { uk: nameIn('uk'), en: nameIn('en') }
}
