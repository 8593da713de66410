import { localNowMs } from './station-clock.ts'

/** A token with a life. */
export interface GrantedToken {
  token: string
  expiresInS: number
}

/** A token that is renewed before it ends. */
export interface RenewingToken {
  /** The token, when it lives for so many seconds more (or is as fresh as tokens get). */
  peek(lifeS?: number): string | null
  /** The same, obtaining a new one when needed. */
  get(lifeS?: number): Promise<string>
  /** Obtains a new one now; callers at the same time share it. */
  renew(): Promise<string>
  end(): void
}

const EARLY_S = 30

/** Keeps what `obtain` grants and renews it 30 s before it expires. */
export function createRenewingToken(
  obtain: () => Promise<GrantedToken>,
  nowMs: () => number = localNowMs,
): RenewingToken {
  let held: (GrantedToken & { sinceMs: number }) | null = null
  let pending: Promise<string> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isEnded = false

  const pass: RenewingToken = {
    peek(lifeS = EARLY_S) {
      if (!held) return null
      const ageS = (nowMs() - held.sinceMs) / 1000
      // Nobody grants more than a whole life: a long track takes a fresh token and renews it on the way.
      const enoughS = Math.min(lifeS, held.expiresInS - EARLY_S)
      return held.expiresInS - ageS >= Math.max(enoughS, 1) ? held.token : null
    },
    get: async (lifeS) => pass.peek(lifeS) ?? pass.renew(),
    renew() {
      pending ??= obtain()
        .then((granted) => {
          held = { ...granted, sinceMs: nowMs() }
          clearTimeout(timer)
          const renewInMs = Math.max(1, granted.expiresInS - EARLY_S) * 1000
          if (!isEnded) timer = setTimeout(() => void pass.renew().catch(() => {}), renewInMs)
          return granted.token
        })
        .finally(() => {
          pending = null
        })
      return pending
    },
    end() {
      isEnded = true
      clearTimeout(timer)
    },
  }
  return pass
}
