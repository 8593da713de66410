import { randomInt } from 'node:crypto'

/** Without letters and digits that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A random code that people read out and type, 5 bits a letter. */
export const typedCode = (length: number): string =>
  Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('')
