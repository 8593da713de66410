import type { Page } from 'playwright-core'

export const SAMPLES_PER_S = 44_100

/** For pages whose sound is recorded: a script of the test runs beside it. */
export const RECORDABLE = { bypassCSP: true }

type Recorded = Window & { recorded?: Float32Array[] }

/** Records the left channel of what the audio element plays from now on. */
export async function record(page: Page): Promise<{ samples(seconds: number): Promise<Float32Array> }> {
  await page.evaluate(async (sampleRate) => {
    const recorder = `registerProcessor('recorder', class extends AudioWorkletProcessor {
      process([[left]]) {
        if (left) this.port.postMessage(left.slice())
        return true
      }
    })`
    const context = new AudioContext({ sampleRate })
    await context.audioWorklet.addModule(
      URL.createObjectURL(new Blob([recorder], { type: 'text/javascript' })),
    )
    const node = new AudioWorkletNode(context, 'recorder')
    const recorded: Float32Array[] = []
    node.port.onmessage = ({ data }) => recorded.push(data)
    const audio = document.querySelector('audio')!
    audio.volume = 1
    context.createMediaElementSource(audio).connect(node).connect(context.destination)
    Object.assign(window, { recorded })
  }, SAMPLES_PER_S)
  return {
    /** Resolves once so much was recorded. */
    async samples(seconds) {
      const wanted = seconds * SAMPLES_PER_S
      await page.waitForFunction(
        (wanted) => (window as Recorded).recorded!.reduce((sum, { length }) => sum + length, 0) >= wanted,
        wanted,
        { polling: 500 },
      )
      const base64 = await page.evaluate(async () => {
        const reader = new FileReader()
        reader.readAsDataURL(new Blob((window as Recorded).recorded as BlobPart[]))
        await new Promise((resolve) => reader.addEventListener('load', resolve))
        return (reader.result as string).split(',')[1]!
      })
      const bytes = new Uint8Array(Buffer.from(base64, 'base64'))
      return new Float32Array(bytes.buffer, 0, bytes.length / 4)
    },
  }
}

const WINDOW = 1_024
/** Decoders differ by rounding alone. */
const SAME_WITHIN = 1e-3

/** Samples that were played in one piece. */
export interface Piece {
  /** Index of the first of them in the recording. */
  at: number
  /** Index of the first of them in the sound that was sent. */
  from: number
  length: number
}

/** The pieces of a sound of which a recording consists: a whole one when nothing was left out, put in or played twice. */
export function piecesOf(recording: Float32Array, sound: Float32Array): Piece[] {
  const pieces: Piece[] = []
  let at = recording.findIndex((sample) => Math.abs(sample) > 0.01)
  while (at >= 0 && at + WINDOW < recording.length) {
    const from = find(recording.subarray(at, at + WINDOW), sound)
    if (from < 0) {
      at += WINDOW
      continue
    }
    let length = WINDOW
    const most = Math.min(recording.length - at, sound.length - from)
    while (length < most && Math.abs(recording[at + length]! - sound[from + length]!) < SAME_WITHIN) length++
    pieces.push({ at, from, length })
    at += length
  }
  return pieces
}

/** Where a sound holds these samples; -1 = nowhere. */
function find(samples: Float32Array, sound: Float32Array): number {
  const last = sound.length - samples.length
  for (let from = 0; from <= last; from++) {
    let i = 0
    while (i < samples.length && Math.abs(samples[i]! - sound[from + i]!) < SAME_WITHIN) i++
    if (i === samples.length) return from
  }
  return -1
}
