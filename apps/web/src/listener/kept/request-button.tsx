import type { LibraryItem } from '@solstice/contracts'
import { useStore } from '../../ui/store.ts'
import { trackLine } from '../format.ts'
import { useRadio } from '../radio-context.ts'
import { useRequestStatus } from '../sheets/request/status.tsx'

interface Props {
  track: LibraryItem
  /** Opens the sheet in which one chooses between a free request and a paid one. */
  onChoose: (track: LibraryItem) => void
  /** Describes why it may be impossible now. */
  statusId: string
}

/** Requests a track; where it can be paid for too, one chooses how in a sheet of its own. */
export function RequestButton({ track, onChoose, statusId }: Props) {
  const { radio, t } = useRadio()
  const { requests } = radio.connection
  const { blocked } = useRequestStatus()
  const isSending = useStore(requests.isSending)
  const canPay = Boolean(useStore(radio.config)?.donationInfo)
  const isBlocked = !canPay && (blocked !== null || isSending)
  const press = () => {
    if (canPay) onChoose(track)
    else if (!isBlocked) void requests.send(track)
  }
  return (
    <button
      type="button"
      class="button"
      aria-label={t.request.oneOf(trackLine(track))}
      aria-haspopup={canPay ? 'dialog' : undefined}
      aria-disabled={isBlocked}
      aria-describedby={isBlocked ? statusId : undefined}
      onClick={press}
    >
      {t.request.one}
    </button>
  )
}
