/** Filter of ITU-R BS.1770-5, annex 1, for one channel at any sample rate: head (shelf), then high pass. */
export function createKWeighting(sampleRate: number): (sample: number) => number {
  const shelf = createBiquad(shelfOf(sampleRate))
  const highPass = createBiquad(highPassOf(sampleRate))
  return (sample) => highPass(shelf(sample))
}

/** LUFS of the mean square of K-weighted samples, both channels added. */
export const loudnessOf = (meanSquare: number) => 10 * Math.log10(meanSquare) - 0.691

type Coefficients = readonly [b0: number, b1: number, b2: number, a1: number, a2: number]

function createBiquad([b0, b1, b2, a1, a2]: Coefficients) {
  let z1 = 0
  let z2 = 0
  return (x: number) => {
    const y = b0 * x + z1
    z1 = b1 * x - a1 * y + z2
    z2 = b2 * x - a2 * y
    return y
  }
}

/** The analogue prototype behind the standard's table, which is given for 48 kHz alone. */
function shelfOf(sampleRate: number): Coefficients {
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRate)
  const q = 0.7071752369554196
  const high = 10 ** (3.999843853973347 / 20)
  const band = high ** 0.4996667741545416
  const a0 = 1 + k / q + k * k
  return [
    (high + (band * k) / q + k * k) / a0,
    (2 * (k * k - high)) / a0,
    (high - (band * k) / q + k * k) / a0,
    (2 * (k * k - 1)) / a0,
    (1 - k / q + k * k) / a0,
  ]
}

function highPassOf(sampleRate: number): Coefficients {
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRate)
  const q = 0.5003270373238773
  const a0 = 1 + k / q + k * k
  return [1, -2, 1, (2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0]
}
