import type { RadioState } from '@solstice/contracts'

/** Seconds into the track on air at a moment of the station's clock. */
export function secondsIn(air: RadioState, stationMs: number): number {
  const sinceS = air.isPlaying ? Math.max(0, stationMs - air.serverTimeMs) / 1000 : 0
  return Math.min(air.duration, air.seek + sinceS)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The time of day in a zone: 14:32:05. */
export function zoneTime(atMs: number, timeZone: string): string {
  const known = formats.get(timeZone)
  const format =
    known ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    })
  if (!known) formats.set(timeZone, format)
  return format.format(atMs)
}
