import { createHmac, hkdfSync } from 'node:crypto'
import { areSecretsEqual } from './equal-secrets.ts'

const LIFE_MS = 60_000
const TOKEN = /^(\d{1,15})\.[\w-]{43}$/

/** Proof that a socket is the station's own monitor, whom no list of listeners shows. */
export interface MonitorTokens {
  /** A token of this date (epoch ms). */
  issue(nowMs: number): string
  isValid(token: unknown, nowMs: number): boolean
}

export function createMonitorTokens({ artTokenSecret }: { artTokenSecret: string }): MonitorTokens {
  const key = Buffer.from(hkdfSync('sha256', artTokenSecret, '', 'solstice monitor', 32))
  const issue = (nowMs: number) => {
    const issuedAt = String(Math.floor(nowMs))
    return `${issuedAt}.${createHmac('sha256', key).update(issuedAt).digest('base64url')}`
  }
  return {
    issue,
    isValid(token, nowMs) {
      const [, issuedAt] = (typeof token === 'string' && TOKEN.exec(token)) || []
      if (issuedAt === undefined || Math.abs(nowMs - Number(issuedAt)) > LIFE_MS) return false
      return areSecretsEqual(String(token), issue(Number(issuedAt)))
    },
  }
}
