// Without letters and digits that look alike.
const upper = 'ABCDEFGHJKLMNPQRSTUVWXYZ'
const lower = 'abcdefghijkmnopqrstuvwxyz'
const digits = '23456789'
const all = upper + lower + digits
const LENGTH = 14

/** A password to be told to somebody once: it follows the station's rules and can be read aloud. */
export function temporaryPassword(): string {
  const signs = [pick(upper), pick(lower), pick(digits)]
  while (signs.length < LENGTH) signs.push(pick(all))
  for (let i = signs.length - 1; i > 0; i--) {
    const other = below(i + 1)
    ;[signs[i], signs[other]] = [signs[other]!, signs[i]!]
  }
  return signs.join('')
}

const pick = (from: string) => from[below(from.length)]!

/** A whole number from 0 to `most` - 1, each as likely as the others. */
function below(most: number): number {
  const drawn = new Uint32Array(1)
  const fair = 2 ** 32 - (2 ** 32 % most)
  do crypto.getRandomValues(drawn)
  while (drawn[0]! >= fair)
  return drawn[0]! % most
}
