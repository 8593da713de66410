import { type Static, Type } from 'typebox'
import { EpochMs, nullable } from './schema.ts'

export const alarmCauses = [
  'no_bytes',
  'broken_frames',
  'missing_frames',
  'silence',
  'clipping',
  'loudness',
  'repeating',
  'title',
  'drift',
  'other_bytes',
  'old_sound',
  'old_playlist',
  'stale_sync',
  'stale_state',
] as const
export type AlarmCause = (typeof alarmCauses)[number]

/** A fault that the monitor heard. */
export const Alarm = Type.Object({
  id: Type.Integer(),
  cause: Type.Enum([...alarmCauses], {
    description:
      '`no_bytes`: a player has nothing left to play; `broken_frames`: bytes that are no MP3; `missing_frames`: frames that were left out; `silence`: no sound where some is due; `clipping`: samples at full scale; `loudness`: louder or quieter than planned; `repeating`: the same frames again; `title`: another track is named than the one on air; `drift`: the sound is at another position than the station says; `other_bytes`: frames that differ from those of the same number that were broadcast; `old_sound`: sound of before; `old_playlist`: an HLS playlist that ended too long ago, or is not there; `stale_sync`: an address tells what was on air before, or tells its sockets nothing; `stale_state`: what is due does not happen',
  }),
  source: Type.String({
    description:
      'the address that was listened to, with a path for another stream than the first; or `station`',
  }),
  beganAt: EpochMs,
  endedAt: nullable(EpochMs),
  evidence: Type.String({ description: 'measurements at its beginning, in English' }),
  hasEvidence: Type.Boolean({ description: 'true when the sound of its beginning is stored' }),
})
export type Alarm = Static<typeof Alarm>
