import { randomUUID } from 'node:crypto'
import { type Clip, type ClipFamily, type Mode, modes } from '@solstice/contracts'
import type { Audit } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import { cleanFilename } from '../core/text.ts'
import { dateNow } from '../core/wall-clock.ts'
import { promote, receiveMp3, refuseWrite } from '../intake/staging.ts'
import type { Actor } from '../ports/accounts.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus, WallClock } from '../ports/bus.ts'
import type { ClipRecord, DataStore } from '../ports/data/data-store.ts'
import type { Log } from '../ports/log.ts'
import type { AudioTags } from '../ports/media/audio.ts'
import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'

/** Per-family rules that only the server needs. */
interface Family {
  /** Folder in the storage. */
  folder: string
  /** Seconds; null = no limit, and the length may be unknown. */
  maxSeconds: number | null
  /** A mode with fewer usable clips plays none. */
  minRequired: number
  announces: 'jingles_updated' | 'phrases_updated' | 'background_music_updated'
  /** Prefix of its operations in the audit log. */
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

/** Encoders pad, so a clip may be a little longer than its family allows. */
const TOLERANCE_S = 0.25
export interface ClipCounts {
  day: number
  night: number
  dayUsable: number
  nightUsable: number
  minRequired: number
}

/** Where a clip's file is. */
export function clipMedia({
  family,
  mode,
  filename,
}: Pick<ClipRecord, 'family' | 'mode' | 'filename'>): MediaKey {
  return `${clipFamilies[family].folder}/${mode}/${filename}`
}

type ClipData = Pick<DataStore, 'clips'>

/**
 * A page of clips, newest first.
 *
 * @param page.mode null = both.
 * @param page.search a part of the file name, in any case.
 * @param page.used leaves out clips that may not go on air.
 */
export async function listClips(
  data: ClipData,
  family: ClipFamily,
  page: { mode: Mode | null; search: string; offset: number; limit: number; used?: true },
): Promise<{ items: Clip[]; total: number }> {
  const { mode, search, offset, limit, used } = page
  const part = search.normalize('NFC').toLowerCase()
  const found = (await data.clips.find({ family, ...(mode && { mode }), ...(used && { used }) }))
    .filter((clip) => clip.nameKey.includes(part))
    .toReversed()
    .sort((a, b) => b.createdAt - a.createdAt)
  return { items: found.slice(offset, offset + limit).map(shownClip), total: found.length }
}

export async function countClips(data: ClipData, family: ClipFamily): Promise<ClipCounts> {
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
}

/** True when a file name is taken in either mode, whatever its case. */
export async function isClipTaken(data: ClipData, family: ClipFamily, filename: string): Promise<boolean> {
  return (await data.clips.find({ family, nameKey: nameKey(cleanFilename(filename)) })).length > 0
}

/** @throws Failure NOT_FOUND */
export async function findClip(
  data: ClipData,
  family: ClipFamily,
  id: string,
): Promise<Readonly<ClipRecord>> {
  const clip = await data.clips.get(id)
  if (clip?.family !== family) throw new Failure('NOT_FOUND')
  return clip
}

/** Sets whether a clip may go on air. @throws Failure NOT_FOUND */
export async function setClipUsed(
  deps: ClipNews & { data: ClipData },
  { family, id, used }: { family: ClipFamily; id: string; used: boolean },
): Promise<Clip> {
  const { data } = deps
  const clip = await findClip(data, family, id)
  if (clip.used !== used && (await data.clips.update({ id }, { used })) > 0) clipsChanged(deps, family)
  return shownClip(await findClip(data, family, id))
}

/**
 * Receives an MP3 as a clip, which may go on air at once.
 *
 * @throws Failure BAD_REQUEST for a file that is no MP3 or too long, FILENAME_EXISTS, STORAGE_WRITE_FAILED.
 */
export async function receiveClip(
  deps: ClipNews & {
    data: ClipData
    media: MediaStorage
    tags: AudioTags
    audit: Audit
    clock: WallClock
  },
  actor: Actor,
  sent: { family: ClipFamily; mode: Mode; filename: string; content: AsyncIterable<Uint8Array> },
): Promise<Clip> {
  const { data, media, audit, clock } = deps
  const { family, mode, content } = sent
  const filename = cleanFilename(sent.filename)
  if (await isClipTaken(data, family, filename)) throw new Failure('FILENAME_EXISTS')
  const { folder, audit: operation } = clipFamilies[family]
  // Two uploads of one name at the same time do not replace each other.
  const { staged, facts } = await receiveMp3(deps, {
    folder: `${folder}/${mode}`,
    filename: `${randomUUID()}.mp3`,
    content,
  })
  const clip = newClip({ family, mode, filename, duration: facts.duration }, dateNow(clock))
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
  await audit.record(actor, `${operation}_upload`, { filename, mode })
  clipsChanged(deps, family)
  return shownClip(clip)
}

/** The receivers of a change to clips. */
interface ClipNews {
  announcer: Announcer
  bus: Pick<Bus, 'send'>
  log: Log
}

/** Tells all clients and the worker that the clips of a family changed. */
export function clipsChanged({ announcer, bus, log }: ClipNews, family: ClipFamily): void {
  announcer.announce(clipFamilies[family].announces)
  bus.send({ type: 'clips-changed' }).catch((error) => {
    // A worker that acquires the lease later reads the clips by itself.
    log.warn({ err: error }, 'clip change not delivered to a worker')
  })
}

/**
 * Makes files that were put into the storage clips, and removes clips without a file if that was confirmed. Idempotent, and
 * safe beside a running station.
 */
export async function reconcileClips(
  station: ClipNews & {
    data: ClipData
    media: MediaStorage
    tags: AudioTags
    clock: WallClock
    confirmTrackCleanup: boolean
  },
): Promise<void> {
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
    const clip = newClip({ family, mode, filename, duration: facts?.duration ?? null }, dateNow(clock))
    if (await data.clips.insert(clip)) isChanged = true
    else log.warn({ key }, 'clip file ignored: its name is taken in the other mode')
  }
  const present = new Set(files)
  for (const clip of clips.filter((candidate) => !present.has(clipMedia(candidate)))) {
    if (!confirmTrackCleanup)
      log.warn({ key: clipMedia(clip) }, 'clip without a file; CONFIRM_TRACK_CLEANUP=true removes it')
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

function newClip(
  about: Pick<ClipRecord, 'family' | 'mode' | 'filename' | 'duration'>,
  createdAt: number,
): ClipRecord {
  return { ...about, id: randomUUID(), nameKey: nameKey(about.filename), used: true, createdAt }
}

const nameKey = (filename: string) => filename.normalize('NFC').toLowerCase()

/** A clip as clients see it. */
export function shownClip({ id, filename, mode, duration, used, createdAt }: Readonly<ClipRecord>): Clip {
  return { id, filename, mode, duration, used, createdAt }
}
