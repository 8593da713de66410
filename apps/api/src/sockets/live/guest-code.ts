import type { Ack } from '@solstice/contracts'
import { type PlayoutState, shownCode } from '@solstice/playout'
import {
  type Admin,
  type Audit,
  type Bus,
  dateOf,
  sendCommand,
  typedCode,
  type WallClock,
} from '@solstice/station'
import type { Handlers } from '../dispatch.ts'

const HOUR_MS = 3_600_000
const CODE_LENGTH = 12
const CODE_HOURS = { usual: 8, min: 1, max: 168 }

/** The code that lets special guests on the air. @param deps.now the newest state; null before any. */
export function guestCodeHandlers(deps: {
  now: () => PlayoutState | null
  clock: WallClock
  bus: Pick<Bus, 'send'>
  audit: Audit
}): Pick<
  Handlers,
  | 'moderator_get_guest_code'
  | 'moderator_generate_guest_code'
  | 'moderator_regenerate_guest_code'
  | 'moderator_deactivate_guest_code'
> {
  const { now, clock, bus, audit } = deps

  const makeCode = async (
    admin: Admin,
    ttlHours: number | undefined,
    isReplacing: boolean,
  ): Promise<Ack<'moderator_generate_guest_code'>> => {
    const { usual, min, max } = CODE_HOURS
    const hours = Math.min(max, Math.max(min, ttlHours ?? usual))
    const code = typedCode(CODE_LENGTH)
    const command = { type: 'set-code', code, lifeMs: hours * HOUR_MS, isReplacing } as const
    const { expiresAtMs } = await sendCommand(bus, command)
    const operation = isReplacing ? 'guest_code_regenerate' : 'guest_code_generate'
    await audit.record(admin, operation, { ttlHours: hours })
    return { ok: true, code, expiresAt: dateOf(clock, expiresAtMs ?? clock.nowMs()) }
  }

  return {
    moderator_get_guest_code: {
      answer() {
        const state = now()
        return state ? shownCode(state, clock.nowMs(), clock.aheadMs()) : { code: null }
      },
    },
    moderator_generate_guest_code: {
      answer: ({ admin }, { ttlHours }) => makeCode(admin, ttlHours, false),
    },
    moderator_regenerate_guest_code: {
      answer: ({ admin }, { ttlHours }) => makeCode(admin, ttlHours, true),
    },
    moderator_deactivate_guest_code: {
      async answer({ admin }) {
        const isThere = now()?.live.code != null
        await sendCommand(bus, { type: 'set-code', code: null, lifeMs: 0, isReplacing: true })
        if (isThere) await audit.record(admin, 'guest_code_deactivate', {})
        return { ok: true }
      },
    },
  }
}
