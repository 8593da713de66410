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

/** Hours of the warm-up of a run of so many hours. */
export const warmUpH = (runH: number) => Math.min(1 / 3, runH / 4)

/**
 * Points of a process that count: those of the run's warm-up don't, nor those of the process's own, which is as long. Half as much
 * again is for memory to settle.
 */
export function afterWarmUp(points: readonly Point[], runH: number): Point[] {
  const fromH = (points[0]?.atH ?? 0) + 1.5 * warmUpH(runH)
  return points.filter(({ atH }) => atH >= fromH)
}
