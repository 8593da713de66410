import { Failure } from '../core/failure.ts'
import type { DataStore, SpooledAlarm, Spools } from '../ports/data/data-store.ts'
import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'

/** Folder of the sound of alarms in the media storage. */
const FOLDER = 'alarms'
/** Some 35 MB. */
const MAX_FILES = 200
const LEFT_FOR_MS = 24 * 3_600_000
const NAME = /^alarms\/(\d{1,16})\.mp3$/

interface EvidenceDeps {
  data: Pick<DataStore, 'alarms'>
  media: Pick<MediaStorage, 'put' | 'list' | 'delete'>
}

/** Stores the sound of an alarm's beginning, an MP3, and says so in its record. Nothing is left of an alarm that is gone. */
export async function keepEvidence(deps: EvidenceDeps, alarmId: number, sound: Uint8Array): Promise<void> {
  const { data, media } = deps
  await media.put(keyOf(alarmId), sound)
  await data.alarms.update({ id: alarmId }, { hasEvidence: true })
  await forgetEvidence(deps)
}

/**
 * Stores sounds that a process left behind with their alarms, where the store has those by now. A sound whose alarm waits itself stays,
 * and so does, for a day, one of an alarm that is nowhere.
 *
 * @param isInHand whether this process will store a sound itself.
 * @returns the number of sounds that stay.
 */
export async function fileLeftSounds(
  deps: EvidenceDeps & { spools: Pick<Spools, 'alarms' | 'alarmSounds'> },
  isInHand: (id: string) => boolean,
  nowMs: number,
): Promise<number> {
  const { data, spools } = deps
  const left = (await spools.alarmSounds.all()).filter(({ id }) => !isInHand(id))
  const waiting = left.length > 0 ? await spools.alarms.all() : []
  let stay = 0
  for (const { id, cause, source, receivedAt, mp3 } of left) {
    const isOf = (alarm: SpooledAlarm) =>
      alarm.cause === cause && alarm.source === source && alarm.receivedAt === receivedAt
    const [alarm] = waiting.some(isOf) ? [] : await data.alarms.find({ cause, source, beganAt: receivedAt })
    if (alarm) await keepEvidence(deps, alarm.id, Buffer.from(mp3, 'base64'))
    if (alarm || receivedAt < nowMs - LEFT_FOR_MS) await spools.alarmSounds.remove(id)
    else stay++
  }
  return stay
}

/** Deletes the sound of alarms that are forgotten, and the oldest beyond the limit. @returns the number of files deleted. */
export async function forgetEvidence({ data, media }: EvidenceDeps): Promise<number> {
  const stored = (await media.list(FOLDER)).flatMap((key) => NAME.exec(key)?.[1] ?? []).map(Number)
  const known = new Set((await data.alarms.find()).map(({ id }) => id))
  const newestFirst = stored.sort((a, b) => b - a)
  const old = newestFirst.filter((id, i) => i >= MAX_FILES || !known.has(id))
  for (const id of old) {
    await data.alarms.update({ id }, { hasEvidence: false })
    await media.delete(keyOf(id))
  }
  return old.length
}

/** The file with the sound of an alarm. @throws Failure NOT_FOUND */
export async function evidenceOf(
  { data }: { data: Pick<DataStore, 'alarms'> },
  alarmId: number,
): Promise<MediaKey> {
  if (!(await data.alarms.get(alarmId))?.hasEvidence) throw new Failure('NOT_FOUND')
  return keyOf(alarmId)
}

const keyOf = (alarmId: number) => `${FOLDER}/${alarmId}.mp3`
