import { hash, verify } from '@node-rs/argon2'
import type { Passwords } from '@solstice/station'
import bcrypt from 'bcryptjs'

/** Longer ones are nobody's. */
const MAX_CHARACTERS = 200

/** argon2id with the library's settings (19 MiB, two passes), off the event loop; bcrypt on it, in short slices. */
export function createPasswords(): Passwords {
  const hashOfNobody = hash('a password that nobody has')
  return {
    hash: (password) => hash(password),

    async isRight(password, kept) {
      if ([...password].length > MAX_CHARACTERS) return false
      try {
        if (kept?.startsWith('$2')) return await bcrypt.compare(password, kept)
        const isArgon2id = kept?.startsWith('$argon2id$') ?? false
        const isEqual = await verify(isArgon2id ? kept! : await hashOfNobody, password)
        return isArgon2id && isEqual
      } catch {
        return false
      }
    },
  }
}
