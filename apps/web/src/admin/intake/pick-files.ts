/** Files that can be sent, and how many can't: they are no MP3, too large, or more than there is room for. */
export function pickFiles(
  files: readonly File[],
  room: number,
  maxBytes: number,
): { taken: File[]; foreign: number; large: number; beyond: number } {
  const mp3 = files.filter(({ name, type }) => /\.mp3$/i.test(name) || /^audio\/(mpeg|mp3)$/.test(type))
  const fitting = mp3.filter(({ size }) => size > 0 && size <= maxBytes)
  const taken = fitting.slice(0, Math.max(0, room))
  return {
    taken,
    foreign: files.length - mp3.length,
    large: mp3.length - fitting.length,
    beyond: fitting.length - taken.length,
  }
}

/** Says how many files were left out, a sentence for each reason; '' = none. */
export function leftOut(
  { foreign, large, beyond }: Omit<ReturnType<typeof pickFiles>, 'taken'>,
  t: Record<'leftForeign' | 'leftLarge' | 'leftBeyond', (count: number) => string>,
): string {
  const reasons = [
    foreign && t.leftForeign(foreign),
    large && t.leftLarge(large),
    beyond && t.leftBeyond(beyond),
  ]
  return reasons.filter(Boolean).join(' · ')
}
