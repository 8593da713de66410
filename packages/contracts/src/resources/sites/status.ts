import { type Static, Type } from 'typebox'
import { EpochMs, nullable, StationTimeMs } from '../schema.ts'
import { stream } from './now-playing.ts'

/** Days for which the status counts. */
export const STATUS_DAYS = 90

/** How the station is and was, for anybody. It names no address that the monitor listens to. */
export const Status = Type.Object({
  isOnAir: Type.Boolean({ description: 'there is sound for those who join; in sync mode, a programme' }),
  onAirSince: nullable(
    Type.Number({
      description:
        'epoch ms of the end of the last break, or since when the monitor listens; null where it does not',
    }),
  ),
  mounts: Type.Array(Type.Object({ path: Type.String(), ...stream, isOnAir: Type.Boolean() }), {
    description: 'the streams, the usual one first; empty in sync mode',
  }),
  incident: nullable(
    Type.Object(
      {
        kind: Type.Enum(['break', 'disturbance'], {
          description:
            '`break`: nothing was heard, at any address; `disturbance`: not everywhere, or the sound was at fault',
        }),
        from: EpochMs,
        until: nullable(Type.Number({ description: 'epoch ms; null while it lasts' })),
      },
      { description: 'the last one of these days' },
    ),
  ),
  uptime: nullable(
    Type.Object(
      {
        share: Type.Number({ description: '0 to 1: of the time in which the monitor listened' }),
        days: Type.Array(
          Type.Object({
            date: Type.String({ description: '`YYYY-MM-DD` by the clock of the station' }),
            share: nullable(
              Type.Number({ description: '0 to 1; null when the monitor did not listen that day' }),
            ),
            breaks: Type.Integer({ description: 'that began on that day' }),
          }),
          { description: `${STATUS_DAYS} days, today the last` },
        ),
      },
      { description: 'in which the station was heard; null where nobody listens' },
    ),
  ),
  timeZone: Type.String(),
  at: StationTimeMs,
})
export type Status = Static<typeof Status>
