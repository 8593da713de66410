import { hash, verify } from '@node-rs/argon2'
import { Failure, type Passwords } from '@solstice/station'
import bcrypt from 'bcryptjs'

/** Longer ones are nobody's. */
const MAX_CHARACTERS = 200
/** Files are read by the same four threads, which must not all be hashing. */
const MAX_AT_ONCE = 2
const MAX_WAITING = 60
const RETRY_AFTER_S = 5

/**
 * argon2id with the library's settings (19 MiB, two passes), off the event loop; bcrypt on it, in short slices. Two are
 * worked on at a time and some wait. bcrypt compares no more than the first 72 bytes.
 *
 * @throws Failure RATE_LIMITED when too many wait.
 */
export function createPasswords(): Passwords {
  const inTurn = takeTurns()
  const hashOfNobody = hash('a password that nobody has')
  return {
    hash: (password) => inTurn(() => hash(password)),

    async isRight(password, kept) {
      if ([...password].length > MAX_CHARACTERS) return false
      return inTurn(async () => {
        try {
          if (kept?.startsWith('$2')) return await bcrypt.compare(password, kept)
          const isArgon2id = kept?.startsWith('$argon2id$') ?? false
          const isEqual = await verify(isArgon2id ? kept! : await hashOfNobody, password)
          return isArgon2id && isEqual
        } catch {
          return false
        }
      })
    },
  }
}

function takeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < MAX_AT_ONCE) running++
    else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => waiting.push(resolve))
    else throw new Failure('RATE_LIMITED', { retryAfterSecs: RETRY_AFTER_S })
    try {
      return await work()
    } finally {
      // The turn is handed on, if anybody waits for it.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
