import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares without telling by its duration how much is alike. */
export function areSecretsEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
