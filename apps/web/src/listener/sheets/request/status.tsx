import './status.css'
import { useEffect, useState } from 'preact/hooks'
import { localNowMs } from '../../../radio/connection/station-clock.ts'
import {
  type BlockedReason,
  blockedReason,
  type Cooldown,
  cooldownSecsLeft,
} from '../../../radio/requests.ts'
import { useStore } from '../../../ui/store.ts'
import { formatDuration } from '../../format.ts'
import { useRadio } from '../../radio-context.ts'
import { counted } from '../../texts/plural.ts'

const TICK_MS = 250

/** The availability of requests: possible now, or the reason why not and for how long. */
export function RequestStatus({ id }: { id?: string }) {
  const { locale, t } = useRadio()
  const { blocked, secsLeft, cooldown } = useRequestStatus()
  return (
    <div class="request-status" id={id}>
      <p>
        {t.request[blocked ?? 'ready']}{' '}
        {blocked === 'cooldown' && (
          <span role="timer">
            <b aria-hidden="true">{formatDuration(secsLeft)}</b>
            <span class="unseen">{counted(secsLeft, t.request.seconds, locale)}</span>
          </span>
        )}
      </p>
      {blocked === 'cooldown' && cooldown && (
        <span class="refill" aria-hidden="true" style={{ '--filled': 1 - secsLeft / cooldown.totalS }} />
      )}
    </div>
  )
}

interface Status {
  /** Null when a request can be made. */
  blocked: BlockedReason | null
  secsLeft: number
  cooldown: Cooldown | null
}

export function useRequestStatus(): Status {
  const { requests } = useRadio().radio.connection
  const isAdminOnline = useStore(requests.isAdminOnline)
  const cooldown = useStore(requests.cooldown)
  const [, setTick] = useState(0)
  useEffect(() => {
    if (!cooldown) return
    const timer = setInterval(() => {
      const left = cooldownSecsLeft(cooldown, localNowMs())
      setTick(left)
      if (left === 0) clearInterval(timer)
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [cooldown])
  const secsLeft = cooldownSecsLeft(cooldown, localNowMs())
  return { blocked: blockedReason(isAdminOnline, secsLeft), secsLeft, cooldown }
}
