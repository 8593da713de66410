import { hash, verify } from '@node-rs/argon2'
import { Failure, limitConcurrency, type Passwords } from '@solstice/station'
import bcrypt from 'bcryptjs'

/** Hashing takes longer the longer a password is, and nobody has one of this length. */
const MAX_CHARACTERS = 200
/** Of the four threads of libuv, which read files as well. */
const MAX_AT_ONCE = 2
const MAX_WAITING = 60
const RETRY_AFTER_S = 5

/**
 * Hashes with argon2id at the library's settings (19 MiB, two passes), off the event loop; compares bcrypt on it, in short
 * slices, and no more than the first 72 bytes. Two passwords are worked on at a time.
 *
 * @throws Failure RATE_LIMITED when too many wait.
 */
export function createPasswords(): Passwords {
  const inTurn = limitConcurrency(MAX_AT_ONCE, {
    maxWaiting: MAX_WAITING,
    refusal: () => new Failure('RATE_LIMITED', { retryAfterSecs: RETRY_AFTER_S }),
  })
  let hashOfNobody: Promise<string> | undefined
  return {
    hash: (password) => inTurn(() => hash(password)),

    async isRight(password, kept) {
      if ([...password].length > MAX_CHARACTERS) return false
      return inTurn(async () => {
        // The first check waits for it, whether there is such an account or not. Most processes check none.
        hashOfNobody ??= hash('a password that nobody has')
        const nobody = await hashOfNobody
        try {
          if (kept?.startsWith('$2')) return await bcrypt.compare(password, kept)
          const isArgon2id = kept?.startsWith('$argon2id$') ?? false
          const isEqual = await verify(isArgon2id ? kept! : nobody, password)
          return isArgon2id && isEqual
        } catch {
          return false
        }
      })
    },
  }
}
