import { createHmac, hkdfSync } from 'node:crypto'
import { areSecretsEqual, type Config } from '@solstice/adapters'
import { networkOf } from '@solstice/station'

/** The content of a valid token: signed by this station, neither expired nor from the future. */
export interface TokenClaims {
  uid: string
  expiresAtMs: number
}

export interface Tokens {
  /** The id of the listener behind an address (see `clientAddress`): 36 hex characters. */
  uidOf(address: string): string
  /** A token that opens artwork, avatars, lyrics and the shared stream; its middle segment is the XOR key. */
  issueArtToken(uid: string, nowMs: number): IssuedToken
  /** A token that, together with an art token of the same uid, opens the audio files. */
  issueAudioToken(uid: string, nowMs: number): IssuedToken
  /** null when the token is invalid or expired; `graceMs` is added to its life. */
  readArtToken(token: string, nowMs: number, graceMs?: number): TokenClaims | null
  readAudioToken(token: string, nowMs: number, graceMs?: number): TokenClaims | null
}

export interface IssuedToken {
  token: string
  /** Life in seconds. */
  expiresIn: number
}

/** How far the clocks of replicas may differ. */
const SKEW_MS = 60_000
const MAX_TOKEN_LENGTH = 512
const CLAIMS = /^([0-9a-f]{36})\.(\d{1,15})$/
const AUDIO_TOKEN = /^([0-9a-f]{36})\.(\d{1,15})\./

/** Signs and verifies the tokens of listeners. Replicas with the same secret accept each other's. */
export function createTokens(
  config: Pick<Config, 'artTokenSecret' | 'artTokenTtlS' | 'audioTokenTtlS'>,
): Tokens {
  const { artTokenSecret: secret, artTokenTtlS, audioTokenTtlS } = config
  const uidKey = Buffer.from(hkdfSync('sha256', secret, '', 'solstice listener uid', 32))
  const mac = (message: string) => createHmac('sha256', secret).update(message).digest('base64url')

  // The prefixes keep the three uses of the secret apart: no message of one can be read as a message of another.
  const signArt = (uid: string, issuedAt: string) => {
    const claims = Buffer.from(`${uid}.${issuedAt}`).toString('base64url')
    const key = mac(`xor.${claims}`)
    return `${claims}.${key}.${mac(`${claims}.${key}`)}`
  }
  const signAudio = (uid: string, issuedAt: string) => `${uid}.${issuedAt}.${mac(`audio.${uid}.${issuedAt}`)}`

  const read = (
    token: string,
    claims: RegExpExecArray | null,
    sign: typeof signArt,
    ttlS: number,
    nowMs: number,
    graceMs: number,
  ): TokenClaims | null => {
    const [, uid, issuedAt] = claims ?? []
    // Comparing with the token as it would be issued leaves exactly one spelling of each.
    if (!uid || !issuedAt || !areSecretsEqual(token, sign(uid, issuedAt))) return null
    const issuedAtMs = Number(issuedAt)
    const expiresAtMs = issuedAtMs + ttlS * 1000
    if (issuedAtMs > nowMs + SKEW_MS || nowMs >= expiresAtMs + graceMs) return null
    return { uid, expiresAtMs }
  }

  return {
    uidOf(address) {
      return createHmac('sha256', uidKey).update(networkOf(address)).digest('hex').slice(0, 36)
    },
    issueArtToken: (uid, nowMs) => ({
      token: signArt(uid, String(Math.floor(nowMs))),
      expiresIn: artTokenTtlS,
    }),
    issueAudioToken: (uid, nowMs) => ({
      token: signAudio(uid, String(Math.floor(nowMs))),
      expiresIn: audioTokenTtlS,
    }),
    readArtToken(token, nowMs, graceMs = 0) {
      if (token.length > MAX_TOKEN_LENGTH) return null
      const claims = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('latin1')
      return read(token, CLAIMS.exec(claims), signArt, artTokenTtlS, nowMs, graceMs)
    },
    readAudioToken(token, nowMs, graceMs = 0) {
      if (token.length > MAX_TOKEN_LENGTH) return null
      return read(token, AUDIO_TOKEN.exec(token), signAudio, audioTokenTtlS, nowMs, graceMs)
    },
  }
}
