import { type Static, Type } from 'typebox'
import { EpochMs, nullable } from './schema.ts'

export const alarmCauses = [
  'no_bytes',
  'broken_frames',
  'silence',
  'clipping',
  'loudness',
  'repeating',
  'title',
  'stale_state',
] as const
export type AlarmCause = (typeof alarmCauses)[number]

/** A fault that the monitor heard. */
export const Alarm = Type.Object({
  id: Type.Integer(),
  cause: Type.Enum([...alarmCauses], {
    description:
      '`no_bytes`: a player has nothing left to play; `broken_frames`: bytes that are no MP3; `silence`: no sound where some is due; `clipping`: samples at full scale; `loudness`: louder or quieter than planned; `repeating`: the same frames again; `title`: another track is named than the one on air; `stale_state`: what is due does not happen',
  }),
  source: Type.String({ description: 'the address that was listened to, or `station`' }),
  beganAt: EpochMs,
  endedAt: nullable(EpochMs),
  evidence: Type.String({ description: 'measurements at its beginning, in English' }),
})
export type Alarm = Static<typeof Alarm>
