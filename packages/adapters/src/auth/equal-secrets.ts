import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares in constant time, so that a guess cannot be improved by timing. */
export function areSecretsEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
