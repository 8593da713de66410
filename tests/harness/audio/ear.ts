import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { FRAME_MS, FRAME_SAMPLES, type FrameChunk } from '@solstice/station'
import type { Teardown } from '../processes/processes.ts'
import { openBus } from '../stations/bus.ts'
import type { Station } from '../stations/station.ts'
import { PATIENCE_MS, waiting } from '../until.ts'
import { pitch } from './audio.ts'

/** Loudness of each pitch, by name, in a tenth of a second. */
export interface Moment<Name extends string> {
  /** Station time of its start, ms. */
  atMs: number
  levels: Record<Name, number>
}

const WINDOW_SAMPLES = 4410

/**
 * Listens to the broadcast live, from its first frame.
 *
 * @param pitches in Hz, by name; multiples of 10, so that none is mistaken for another.
 */
export async function openEar<Name extends string>(
  t: Teardown,
  station: Station,
  pitches: Record<Name, number>,
) {
  const { bus, stop } = await openBus(t, station.env.REDIS_URL!)
  const names = Object.keys(pitches) as Name[]
  const input = ['-f', 'mp3', '-probesize', '32', '-i', 'pipe:0']
  const output = ['-f', 'f32le', '-ac', '1', '-ar', '44100', '-flush_packets', '1', 'pipe:1']
  const decoder = spawn('ffmpeg', ['-loglevel', 'error', ...input, ...output])
  const chunks: FrameChunk[] = []
  const moments: Moment<Name>[] = []
  const heard = waiting()
  let samples = 0
  let rest: Buffer = Buffer.alloc(0)

  const timeOf = (sample: number) => {
    const frame = chunks[0]!.frame + sample / FRAME_SAMPLES
    const chunk = chunks.findLast((candidate) => candidate.frame <= frame)!
    return chunk.atMs + (frame - chunk.frame) * FRAME_MS
  }
  decoder.stdout.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    for (; rest.length >= WINDOW_SAMPLES * 4; rest = rest.subarray(WINDOW_SAMPLES * 4)) {
      const window = new Float32Array(
        rest.buffer.slice(rest.byteOffset, rest.byteOffset + WINDOW_SAMPLES * 4),
      )
      const levels = names.map((name) => [name, pitch(window, pitches[name])])
      moments.push({ atMs: timeOf(samples), levels: Object.fromEntries(levels) as Record<Name, number> })
      samples += WINDOW_SAMPLES
    }
    heard.changed()
  })
  decoder.stdin.on('error', () => {})
  const following = (async () => {
    for await (const chunk of bus.frames(stop.signal)) {
      chunks.push(chunk)
      decoder.stdin.write(chunk.audio)
    }
  })()
  t.teardown(async () => {
    stop.abort()
    await following
    decoder.kill('SIGKILL')
    if (decoder.exitCode === null && decoder.signalCode === null) await once(decoder, 'close')
  })

  return {
    chunks,
    moments,
    /** Waits until this many moments in a row, from now on, match, and resolves with them. */
    async hears(isLikeThis: (levels: Record<Name, number>) => boolean, tenths = 6): Promise<Moment<Name>[]> {
      const endMs = performance.now() + PATIENCE_MS
      let from = moments.length
      for (let at = from; ; at++) {
        if (performance.now() > endMs) throw new Error(`not heard: ${isLikeThis}`)
        const next = at
        await heard.until('more is heard', () => next < moments.length)
        if (!isLikeThis(moments[at]!.levels)) from = at + 1
        else if (at + 1 - from === tenths) return moments.slice(from, at + 1)
      }
    },
  }
}
