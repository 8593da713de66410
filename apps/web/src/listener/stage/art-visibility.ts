const FADE_S = 15

/** The opacity of the picture, 0 to 1: it fades in during the first 15 s of a track and out during the last 15 s. */
export function artVisibility(position: number, duration: number): number {
  if (duration <= 0) return 1
  const fadeS = Math.min(FADE_S, duration / 3)
  return Math.max(0, Math.min(1, position / fadeS, (duration - position) / fadeS))
}
