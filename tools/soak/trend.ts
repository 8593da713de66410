export interface Point {
  /** Hours since the beginning. */
  atH: number
  value: number
}

/** Slope of the least-squares line per hour; null for fewer than three points or a single moment. */
export function slopePerHour(points: readonly Point[]): number | null {
  if (points.length < 3) return null
  const meanH = points.reduce((sum, { atH }) => sum + atH, 0) / points.length
  const mean = points.reduce((sum, { value }) => sum + value, 0) / points.length
  let [covariance, variance] = [0, 0]
  for (const { atH, value } of points) {
    covariance += (atH - meanH) * (value - mean)
    variance += (atH - meanH) ** 2
  }
  return variance === 0 ? null : covariance / variance
}

/** Hours of the warm-up of a run, or of a process in it: a quarter of its time, but at most 20 minutes. */
export const warmUpH = (hours: number) => Math.min(1 / 3, hours / 4)

/** The points after the warm-up. */
export function afterWarmUp(points: readonly Point[]): Point[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return []
  const fromH = first.atH + warmUpH(last.atH - first.atH)
  return points.filter(({ atH }) => atH >= fromH)
}
