import t from 'tap'
import { pitch } from '../../../../../tests/harness/audio/audio.ts'
import { createResampler } from './resampler.ts'

const RATE = 44_100

t.test('48 kHz become 44.1 kHz: as loud, and with nothing added', async (t) => {
  for (const hz of [100, 1000, 5000, 12_000, 17_000]) {
    const resample = createResampler()
    const out: number[] = []
    for (let at = 0; at < 48_000; at += 960) {
      out.push(
        ...resample(
          Float32Array.from({ length: 960 }, (_, i) => Math.sin((2 * Math.PI * hz * (at + i)) / 48_000)),
        ),
      )
    }
    const samples = Float32Array.from(out)
    t.ok(Math.abs(samples.length - RATE) < 60, `${samples.length} samples`)
    const from = 2205
    const count = 35_280
    const level = pitch(samples, hz, from, count)
    t.ok(Math.abs(20 * Math.log10(level)) < 0.3, `${hz} Hz: ${20 * Math.log10(level)} dB`)
    const w = (2 * Math.PI * hz) / RATE
    let sin = 0
    let cos = 0
    for (let i = from; i < from + count; i++) {
      sin += (2 * samples[i]! * Math.sin(w * i)) / count
      cos += (2 * samples[i]! * Math.cos(w * i)) / count
    }
    let rest = 0
    for (let i = from; i < from + count; i++)
      rest += (samples[i]! - sin * Math.sin(w * i) - cos * Math.cos(w * i)) ** 2
    const restDb = 10 * Math.log10((2 * rest) / count)
    t.ok(restDb < -60, `${hz} Hz: everything else is at ${restDb} dB`)
  }
})
