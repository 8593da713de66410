import { hkdfSync } from 'node:crypto'
import { isStrongPassword } from '@solstice/station'
import type { Reader } from './reader.ts'

const HASH = /^\$(argon2id|2[aby])\$/
const WHOLE_HASH =
  /^\$(2[aby]\$\d\d\$[./\w]{53}|argon2id\$v=\d+\$m=\d+,t=\d+,p=\d+\$[+/\w]{11,}\$[+/\w]{16,})$/
const MIN_SECRET_LENGTH = 32

/** Reads token keys and the super admin. Guessable secrets are problems in production. */
export function readSecrets(reader: Reader, isProduction: boolean) {
  return { ...tokenKeys(reader, isProduction), superAdmin: superAdmin(reader, isProduction) }
}

function tokenKeys({ read, raw, warnings, problems }: Reader, isProduction: boolean) {
  const refuseGuessable = (name: string, secret: string) => {
    if (secret.length < MIN_SECRET_LENGTH)
      problems.push(`${name} must have at least ${MIN_SECRET_LENGTH} characters in production`)
    else if (isRegular(secret))
      problems.push(`${name} is too regular for production: use random characters (openssl rand -hex 32)`)
  }
  const jwtSecret = raw('JWT_SECRET') ?? ''
  if (!jwtSecret.trim()) problems.push('JWT_SECRET is required: it signs admin tokens')
  else if (isProduction) refuseGuessable('JWT_SECRET', jwtSecret)

  const artTokenSecret = read('ART_TOKEN_SECRET')
  if (!artTokenSecret) warnings.push('ART_TOKEN_SECRET is not set; it is derived from JWT_SECRET')
  else if (isProduction) refuseGuessable('ART_TOKEN_SECRET', artTokenSecret)
  return {
    /** Key of admin tokens. */
    jwtSecret,
    artTokenSecret: artTokenSecret || derive(jwtSecret, 'solstice art tokens'),
    artTokenTtlS: read('ART_TOKEN_TTL_S'),
    audioTokenTtlS: read('AUDIO_TOKEN_TTL_S'),
  }
}

/** The super admin, or null. `pass` is an argon2id or bcrypt hash, or plain text. */
function superAdmin({ read, raw, warnings, problems }: Reader, isProduction: boolean) {
  const login = read('ADMIN_LOGIN')
  const pass = raw('ADMIN_PASS') ?? ''
  const isHashed = HASH.test(pass)
  if (pass && !isHashed && isProduction && !isStrongPassword(pass))
    problems.push(
      'ADMIN_PASS must be a hash in production, or at least 8 characters with an upper-case letter, a lower-case letter and a digit',
    )
  if (pass && !isHashed) warnings.push('ADMIN_PASS is plain text; an argon2id or bcrypt hash is safer')
  else if (pass && !WHOLE_HASH.test(pass))
    warnings.push('ADMIN_PASS begins like a hash but is incomplete; no password will match it')
  return login && pass ? { login, pass, isHashed } : null
}

function derive(secret: string, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)).toString('base64url')
}

/** Few different characters, or a repeated pattern. Random digits, hexadecimal ones included, practically never match. */
function isRegular(secret: string): boolean {
  return new Set(secret).size < 7 || /^(.{1,16})\1+.{0,15}$/s.test(secret)
}
