import { hkdfSync } from 'node:crypto'
import { isStrongPassword } from '@solstice/station'
import type { Reader } from './reader.ts'

const HASH = /^\$(argon2id|2[aby])\$/
const WHOLE_HASH =
  /^\$(2[aby]\$\d\d\$[./\w]{53}|argon2id\$v=\d+\$m=\d+,t=\d+,p=\d+\$[+/\w]{11,}\$[+/\w]{16,})$/
const MIN_SECRET_LENGTH = 32

/** The keys of tokens, and the super admin. Guessable ones are problems in production. */
export function readSecrets(reader: Reader, isProduction: boolean) {
  return { ...tokenKeys(reader, isProduction), superAdmin: superAdmin(reader, isProduction) }
}

function tokenKeys({ read, raw, warnings, problems }: Reader, isProduction: boolean) {
  const refuseGuessable = (name: string, secret: string) => {
    if (secret.length < MIN_SECRET_LENGTH)
      problems.push(`${name} must have at least ${MIN_SECRET_LENGTH} characters in production`)
    else if (isRegular(secret))
      problems.push(`${name} is too regular for production: take random characters (openssl rand -hex 32)`)
  }
  const jwtSecret = raw('JWT_SECRET') ?? ''
  if (!jwtSecret.trim()) problems.push('JWT_SECRET is required: it signs the tokens of admins')
  else if (isProduction) refuseGuessable('JWT_SECRET', jwtSecret)

  const artTokenSecret = read('ART_TOKEN_SECRET')
  if (!artTokenSecret) warnings.push('ART_TOKEN_SECRET is not set; it is derived from JWT_SECRET')
  else if (isProduction) refuseGuessable('ART_TOKEN_SECRET', artTokenSecret)
  return {
    /** Key of the tokens of admins. */
    jwtSecret,
    artTokenSecret: artTokenSecret || derive(jwtSecret, 'solstice art tokens'),
    artTokenTtlS: read('ART_TOKEN_TTL_S'),
    audioTokenTtlS: read('AUDIO_TOKEN_TTL_S'),
  }
}

/** The super admin; null when there is none. `pass` is an argon2id or bcrypt hash, or plain text. */
function superAdmin({ read, raw, warnings, problems }: Reader, isProduction: boolean) {
  const login = read('ADMIN_LOGIN')
  const pass = raw('ADMIN_PASS') ?? ''
  const isHashed = HASH.test(pass)
  if (pass && !isHashed && isProduction && !isStrongPassword(pass))
    problems.push(
      'ADMIN_PASS must have at least 8 characters in production, an upper-case and a lower-case letter and a digit among them, or be a hash',
    )
  if (pass && !isHashed) warnings.push('ADMIN_PASS is plain text; an argon2id or bcrypt hash is safer')
  else if (pass && !WHOLE_HASH.test(pass))
    warnings.push('ADMIN_PASS begins like a hash but is incomplete; no password will match it')
  return login && pass ? { login, pass, isHashed } : null
}

function derive(secret: string, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)).toString('base64url')
}

/** Few different characters, or one piece again and again; random digits, hex ones too, never are. */
function isRegular(secret: string): boolean {
  return new Set(secret).size < 7 || /^(.{1,16})\1+.{0,15}$/s.test(secret)
}
