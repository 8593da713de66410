import { codecs, type FrameChunk, type Mount, type MountId, oggPages } from '@solstice/station'
import type { Test } from 'tap'
import { decode, melody } from '../audio/audio.ts'
import { logicalStreams } from '../audio/logical-streams.ts'
import { childrenOf, type Process } from '../processes/processes.ts'
import { followBroadcast, mustBeWhole, prepareStation, type Station, type Tone } from './station.ts'

const TONE_S = 4
const BYTES_PER_S = 16_000
/** Long enough for a tone to be heard from its beginning to its end. */
export const LISTENED_BYTES = 13 * BYTES_PER_S
export const tones = [
  { name: 'Low', hz: 440, seconds: TONE_S },
  { name: 'High', hz: 880, seconds: TONE_S },
]
const pitches = tones.map((tone) => tone.hz)

/** A station with more mounts than the first. */
export const prepareWithMounts = (
  t: Test,
  songs: Tone[] = tones,
  more: Record<string, string> = {},
  machine: Record<string, string> = {},
) => prepareStation(t, songs, { STREAM_MOUNTS: 'mp3:128,mp3:64,aac:64,opus:64', ...more }, machine)

/** A worker that holds the lease: workers started after it stand by. */
export async function startFirst(station: Station): Promise<Process> {
  const worker = await station.startWorker()
  await worker.printed(/the station is on air/)
  return worker
}

/** Processes of ffmpeg that belong to a worker. */
export async function ffmpegsOf(worker: Process): Promise<number[]> {
  return (await childrenOf(worker.child.pid!))
    .filter((child) => /ffmpeg/.test(child.command))
    .map((child) => child.pid)
}

export function assertConsecutive(t: Test, chunks: FrameChunk[]) {
  const holes = chunks.flatMap((chunk, i) => {
    const before = chunks[i - 1]
    if (!before || chunk.frame === before.frame + before.frames) return []
    return [`frame ${chunk.frame} after ${before.frame + before.frames - 1}`]
  })
  t.same(holes, [], `${chunks.length} chunks, every frame number once`)
}

/** The chunks of a mount, by default of the first, that don't begin at the frame and the time at which the one before ends. */
export function chunksApart(chunks: readonly FrameChunk[], mount: MountId = 'mp3-128'): FrameChunk[] {
  const { frameMs } = codecs[mount.split('-')[0] as Mount['codec']]
  return chunks.slice(1).filter((chunk, i) => {
    const { frame, frames, atMs } = chunks[i]!
    return chunk.frame !== frame + frames || Math.abs(chunk.atMs - atMs - frames * frameMs) > 1
  })
}

/** Fails where the recording has a quiet moment, or a tone did not last its time. */
export async function assertContinuous(t: Test, mp3: Buffer, toneS = TONE_S) {
  const samples = await decode(mp3)
  const all = melody(samples.subarray(0, samples.length - 4410), pitches)
  // The burst may begin before the station's very first track.
  const heard = all.slice(all.findIndex((hz) => hz !== null))
  t.notOk(heard.includes(null), 'never silent')
  const changes = heard.flatMap((hz, i) => (i > 0 && hz !== heard[i - 1] ? [i] : []))
  const lengths = changes.slice(1).map((at, i) => at - changes[i]!)
  for (const length of lengths)
    t.equal(Math.round(length / 20) % toneS, 0, `a tone of ${length * 50} ms is whole`)
}

/** The mounts beside the first. */
export async function followOthers(t: Test, station: Station) {
  const mp3 = await followBroadcast(t, station, 'mp3-64')
  const aac = await followBroadcast(t, station, 'aac-64')
  const opus = await followBroadcast(t, station, 'opus-64')
  return {
    mounts: [mp3, aac, opus],
    assertWhole() {
      for (const mount of [mp3, aac]) if (mustBeWhole(t, mount)) assertConsecutive(t, mount.chunks)
      if (!mustBeWhole(t, opus)) return
      assertConsecutive(t, opus.chunks)
      const began = opus.chunks.findIndex(({ audio }) => oggPages(audio)[0]?.mark === 'begin')
      const pages = Buffer.concat(opus.chunks.slice(began).map(({ audio }) => audio))
      t.ok(logicalStreams(pages).length > 0, 'a strict reader of Ogg finds no fault')
    },
  }
}
