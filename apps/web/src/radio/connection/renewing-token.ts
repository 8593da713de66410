import { localNowMs } from './station-clock.ts'

/** A token as the station grants it. */
export interface GrantedToken {
  token: string
  expiresInS: number
}

/** A token that is renewed before it expires. */
export interface RenewingToken {
  /** The token, if it lives for `lifeS` more seconds (or is as fresh as tokens get); else null. */
  peek(lifeS?: number): string | null
  /** The same, obtaining a new one when needed. */
  get(lifeS?: number): Promise<string>
  /** Obtains a new one now; simultaneous callers share it. */
  renew(): Promise<string>
  /** Ends the renewals. */
  stop(): void
}

/** Leaves time for a slow answer before the old token stops working. */
const RENEW_BEFORE_EXPIRY_S = 30

/** Holds the token that `obtain` grants and renews it 30 s before it expires. */
export function createRenewingToken(
  obtain: () => Promise<GrantedToken>,
  nowMs: () => number = localNowMs,
): RenewingToken {
  let held: (GrantedToken & { sinceMs: number }) | null = null
  let pending: Promise<string> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false

  const token: RenewingToken = {
    peek(lifeS = RENEW_BEFORE_EXPIRY_S) {
      if (!held) return null
      const ageS = (nowMs() - held.sinceMs) / 1000
      // No token outlives a very long track: a fresh one has to do, and is renewed on the way.
      const enoughS = Math.min(lifeS, held.expiresInS - RENEW_BEFORE_EXPIRY_S)
      return held.expiresInS - ageS >= Math.max(enoughS, 1) ? held.token : null
    },
    get: async (lifeS) => token.peek(lifeS) ?? token.renew(),
    renew() {
      pending ??= obtain()
        .then((granted) => {
          held = { ...granted, sinceMs: nowMs() }
          clearTimeout(timer)
          const renewInMs = Math.max(1, granted.expiresInS - RENEW_BEFORE_EXPIRY_S) * 1000
          if (!isStopped) timer = setTimeout(() => void token.renew().catch(() => {}), renewInMs)
          return granted.token
        })
        .finally(() => {
          pending = null
        })
      return pending
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
  return token
}
