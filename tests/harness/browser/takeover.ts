import { chunkEndMs } from '@solstice/station'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Process } from '../processes/processes.ts'
import { followBroadcast, mustBeWhole, type Station } from '../stations/station.ts'
import { until } from '../until.ts'

/** More than any player has in hand at its beginning. */
const GOES_ON_S = 12
/** A player has 8 s in hand when it has just begun, and less once it had to wait for the machine. */
const IN_HAND_MS = 6_000

type Watched = Window & { waits?: string[] }

/** Watches from now on whether the audio element runs out of sound; `read` returns when it did. */
export async function watchWaits(page: Page): Promise<{ read(): Promise<string[]> }> {
  await page.evaluate(() => {
    const audio = document.querySelector('audio')!
    const waits: string[] = []
    Object.assign(window, { waits })
    for (const type of ['waiting', 'error', 'ended', 'emptied'])
      audio.addEventListener(type, () => {
        const { currentTime, buffered } = audio
        const ranges = Array.from({ length: buffered.length }, (_, i) => [buffered.start(i), buffered.end(i)])
        // A busy machine is late with sound that it has.
        if (ranges.some(([from, to]) => from! <= currentTime && currentTime + 1 < to!)) return
        waits.push(`${type} at ${currentTime} of ${JSON.stringify(ranges)}`)
      })
  })
  return { read: () => page.evaluate(() => (window as Watched).waits!) }
}

/** Fails if a page that plays notices that the worker on air is killed, and that another one takes its place. @returns the other one. */
export async function assertTakeoverUnheard(
  t: Test,
  { page, station, worker }: { page: Page; station: Station; worker: Process },
): Promise<Process> {
  const standby = await station.startWorker()
  const air = await followBroadcast(t, station)
  await air.more(1)
  const waits = await watchWaits(page)
  const position = () => page.evaluate(() => document.querySelector('audio')!.currentTime)
  await worker.end('SIGKILL')
  await standby.printed(/the station is on air/)
  const from = await position()
  await until('the sound has gone on for long', async () => (await position()) > from + GOES_ON_S)
  const heard = await waits.read()
  if (!mustBeWhole(t, air)) return standby
  if (air.longestAbsenceMs < IN_HAND_MS) t.same(heard, [], 'the sound never waited')
  else t.comment(`too slow a machine: no new sound for ${Math.round(air.longestAbsenceMs)} ms`)
  return standby
}

/** Longer than a worker makes up for: time and samples no longer go together. */
const SILENT_MS = 17_000

/** Fails unless a page that plays segments goes on by itself after the station was silent, behind a discontinuity. */
export async function assertPlaysOnAfterSilence(
  t: Test,
  { page, station, worker, url }: { page: Page; station: Station; worker: Process; url: string },
): Promise<void> {
  const air = await followBroadcast(t, station)
  await air.more(1)
  await worker.end('SIGKILL')
  const isSilent = () => air.clock.nowMs() - chunkEndMs(air.chunks.at(-1)!) > SILENT_MS
  await until('the station was silent for long', isSilent)
  const next = await station.startWorker()
  await next.printed(/the station is on air/)
  const playlist = async () => (await fetch(`${url}/api/hls/aac-64/live.m3u8`)).text()
  await until('there is a discontinuity', async () => /#EXT-X-DISCONTINUITY$/m.test(await playlist()))
  await page.locator('.horizon[data-sound=playing]').waitFor()
  const position = () => page.evaluate(() => document.querySelector('audio')!.currentTime)
  const from = await position()
  await until('the sound goes on', async () => Math.abs((await position()) - from) > 4)
  t.pass('it plays on')
}
