import { randomUUID } from 'node:crypto'
import type { Clip, ClipFamily, Mode } from '@solstice/contracts'
import type { Audit } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import { cleanFilename } from '../core/text.ts'
import { dateNow } from '../core/wall-clock.ts'
import { promote, receiveMp3, refuseWrite } from '../intake/staging.ts'
import type { Actor } from '../ports/actor.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus, WallClock } from '../ports/bus.ts'
import type { ClipRecord, DataStore } from '../ports/data-store.ts'
import type { Log } from '../ports/log.ts'
import type { MediaKey, MediaStorage } from '../ports/media-storage.ts'
import type { AudioTags } from '../ports/outside.ts'

/** What tells the three families apart behind the wire. */
interface Family {
  /** Folder in the storage. */
  folder: string
  /** Longest clip in seconds; only then its length has to be known. */
  maxSeconds: number | null
  /** Fewer usable clips than this in a mode are as good as none. */
  minRequired: number
  announces: 'jingles_updated' | 'phrases_updated' | 'background_music_updated'
  /** How its operations begin in the audit log. */
  audit: string
}

export const clipFamilies = {
  jingles: {
    folder: 'jingles',
    maxSeconds: null,
    minRequired: 3,
    announces: 'jingles_updated',
    audit: 'jingle',
  },
  phrases: {
    folder: 'phrases',
    maxSeconds: 5,
    minRequired: 1,
    announces: 'phrases_updated',
    audit: 'phrase',
  },
  'background-music': {
    folder: 'background',
    maxSeconds: null,
    minRequired: 1,
    announces: 'background_music_updated',
    audit: 'background_music',
  },
} as const satisfies Record<ClipFamily, Family>

/** A clip may be so much longer than its family allows: encoders pad. */
const TOLERANCE_S = 0.25
const modes: Mode[] = ['day', 'night']

export interface ClipCounts {
  day: number
  night: number
  dayUsable: number
  nightUsable: number
  minRequired: number
}

/** The clips of all families: one implementation, told apart by the table above. */
export interface Clips {
  /** Newest first. `mode` null = both; `search` is a part of the file name in any case. */
  list(
    family: ClipFamily,
    page: { mode: Mode | null; search: string; offset: number; limit: number },
  ): Promise<{ items: Clip[]; total: number }>
  counts(family: ClipFamily): Promise<ClipCounts>
  /** Whether a file name is taken in either mode, whatever its case. */
  isTaken(family: ClipFamily, filename: string): Promise<boolean>
  /** @throws Failure NOT_FOUND */
  find(family: ClipFamily, id: string): Promise<Readonly<ClipRecord>>
  /** Says whether a clip may go on air. @throws Failure NOT_FOUND */
  setUsed(family: ClipFamily, id: string, used: boolean): Promise<Clip>
  /**
   * Takes an MP3 in; it may go on air at once.
   * @throws Failure BAD_REQUEST for what is no MP3 or too long, FILENAME_EXISTS, STORAGE_WRITE_FAILED.
   */
  receive(
    clip: { family: ClipFamily; mode: Mode; filename: string; content: AsyncIterable<Uint8Array> },
    actor: Actor,
  ): Promise<Clip>
}

/** Where a clip's file is. */
export function clipMedia({
  family,
  mode,
  filename,
}: Pick<ClipRecord, 'family' | 'mode' | 'filename'>): MediaKey {
  return `${clipFamilies[family].folder}/${mode}/${filename}`
}

export function createClips(deps: {
  data: Pick<DataStore, 'clips'>
  media: MediaStorage
  tags: AudioTags
  announcer: Announcer
  bus: Pick<Bus, 'send'>
  audit: Audit
  clock: WallClock
  log: Log
}): Clips {
  const { data, media, audit, clock } = deps
  const changed = (family: ClipFamily) => clipsChanged(deps, family)

  const find = async (family: ClipFamily, id: string) => {
    const clip = await data.clips.get(id)
    if (clip?.family !== family) throw new Failure('NOT_FOUND')
    return clip
  }
  const isTaken = async (family: ClipFamily, filename: string) =>
    (await data.clips.find({ family, nameKey: nameKey(cleanFilename(filename)) })).length > 0

  return {
    find,
    isTaken,

    async list(family, { mode, search, offset, limit }) {
      const part = search.normalize('NFC').toLowerCase()
      const found = (await data.clips.find({ family, ...(mode && { mode }) }))
        .filter((clip) => clip.nameKey.includes(part))
        .toReversed()
        .sort((a, b) => b.createdAt - a.createdAt)
      return { items: found.slice(offset, offset + limit).map(shownClip), total: found.length }
    },

    async counts(family) {
      const clips = await data.clips.find({ family })
      const count = (mode: Mode, used?: true) =>
        clips.filter((clip) => clip.mode === mode && (!used || clip.used)).length
      return {
        day: count('day'),
        night: count('night'),
        dayUsable: count('day', true),
        nightUsable: count('night', true),
        minRequired: clipFamilies[family].minRequired,
      }
    },

    async setUsed(family, id, used) {
      const clip = await find(family, id)
      if (clip.used !== used && (await data.clips.update({ id }, { used })) > 0) changed(family)
      return shownClip(await find(family, id))
    },

    async receive({ family, mode, filename: wanted, content }, actor) {
      const filename = cleanFilename(wanted)
      if (await isTaken(family, filename)) throw new Failure('FILENAME_EXISTS')
      // Two that come under the same name at the same time are not each other's replacement.
      const { staged, facts } = await receiveMp3(
        deps,
        `${clipFamilies[family].folder}/${mode}`,
        `${randomUUID()}.mp3`,
        content,
      )
      const clip: ClipRecord = {
        id: randomUUID(),
        family,
        filename,
        nameKey: nameKey(filename),
        mode,
        duration: facts.duration,
        used: true,
        createdAt: dateNow(clock),
      }
      try {
        refuseLength(clip)
        if (!(await promote(deps, staged, clipMedia(clip)))) throw new Failure('FILENAME_EXISTS')
      } finally {
        await media.delete(staged)
      }
      const inserted = await data.clips.insert(clip).catch(async (cause: unknown) => {
        await media.delete(clipMedia(clip))
        return refuseWrite(cause)
      })
      if (!inserted) {
        await media.delete(clipMedia(clip))
        throw new Failure('FILENAME_EXISTS')
      }
      await audit.record(actor, `${clipFamilies[family].audit}_upload`, { filename, mode })
      changed(family)
      return shownClip(clip)
    },
  }
}

/** Tells everyone that the clips of a family are others now, and the air. */
export function clipsChanged(
  { announcer, bus, log }: { announcer: Announcer; bus: Pick<Bus, 'send'>; log: Log },
  family: ClipFamily,
): void {
  announcer.announce(clipFamilies[family].announces)
  bus.send({ type: 'clips-changed' }).catch((error) => {
    // A worker that acquires the lease later reads the clips by itself.
    log.warn({ err: error }, 'no worker heard that the clips changed')
  })
}

/**
 * Files that somebody put into the storage become clips, and clips without a file go when that was confirmed.
 * Safe to run again, and beside a running station.
 */
export async function reconcileClips(station: {
  data: Pick<DataStore, 'clips'>
  media: MediaStorage
  tags: AudioTags
  announcer: Announcer
  bus: Pick<Bus, 'send'>
  clock: WallClock
  confirmTrackCleanup: boolean
  log: Log
}): Promise<void> {
  for (const family of Object.keys(clipFamilies) as ClipFamily[]) {
    let isChanged = false
    for (const mode of modes) isChanged = (await reconcileFolder(station, family, mode)) || isChanged
    if (isChanged) clipsChanged(station, family)
  }
}

async function reconcileFolder(
  { data, media, tags, clock, confirmTrackCleanup, log }: Parameters<typeof reconcileClips>[0],
  family: ClipFamily,
  mode: Mode,
): Promise<boolean> {
  const folder = `${clipFamilies[family].folder}/${mode}`
  await media.sweep(folder)
  const files = (await media.list(folder)).filter((key) => /.\.mp3$/i.test(key))
  const clips = await data.clips.find({ family, mode })
  const known = new Set(clips.map(clipMedia))
  let isChanged = false
  for (const key of files.filter((file) => !known.has(file))) {
    const filename = key.slice(folder.length + 1)
    const facts = await tags.read(await media.source(key)).catch(() => null)
    const clip: ClipRecord = {
      id: randomUUID(),
      family,
      filename,
      nameKey: nameKey(filename),
      mode,
      duration: facts?.duration ?? null,
      used: true,
      createdAt: dateNow(clock),
    }
    if (await data.clips.insert(clip)) isChanged = true
    else log.warn({ key }, 'a clip of this name exists in the other mode; the file is left alone')
  }
  const present = new Set(files)
  for (const clip of clips.filter((candidate) => !present.has(clipMedia(candidate)))) {
    if (!confirmTrackCleanup)
      log.warn({ key: clipMedia(clip) }, 'a clip has no file; CONFIRM_TRACK_CLEANUP=true removes it')
    else isChanged = (await data.clips.delete({ id: clip.id })) > 0 || isChanged
  }
  return isChanged
}

/** @throws Failure BAD_REQUEST when the family sets a limit and the clip is longer, or of unknown length. */
function refuseLength({ family, duration }: ClipRecord): void {
  const { maxSeconds } = clipFamilies[family]
  if (maxSeconds === null) return
  if (duration === null) throw new Failure('BAD_REQUEST', { field: 'file', reason: 'duration_unreadable' })
  if (duration > maxSeconds + TOLERANCE_S)
    throw new Failure('BAD_REQUEST', { field: 'file', reason: 'too_long', maxSeconds })
}

const nameKey = (filename: string) => filename.normalize('NFC').toLowerCase()

/** A clip as clients see it. */
export function shownClip({ id, filename, mode, duration, used, createdAt }: Readonly<ClipRecord>): Clip {
  return { id, filename, mode, duration, used, createdAt }
}
