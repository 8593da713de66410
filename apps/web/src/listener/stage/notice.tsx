import { useRadio } from '../radio-context.ts'
import { DonateLine } from '../sheets/donate/line.tsx'
import type { Trouble } from '../trouble.ts'

/** The trouble and the one thing to do about it; without any, the listener's paid order. */
export function Notice(props: {
  trouble: Trouble | null
  /** False when the headline already says what the trouble is. */
  isTextShown: boolean
  onOrder: (orderId: string) => void
}) {
  const { trouble, isTextShown, onOrder } = props
  const { radio, t } = useRadio()
  if (!trouble)
    return (
      <div class="notice">
        <DonateLine onOpen={onOrder} />
      </div>
    )
  const actions = {
    connecting: () => radio.connection.retry(),
    offline: () => radio.connection.retry(),
    preparing: () => document.getElementById('earlier')?.scrollIntoView(),
    'not-ready': () => radio.play(),
    lost: () => radio.play(),
  }
  const { says, action } = t.states[trouble]
  return (
    <div class="notice" role={trouble === 'connecting' ? undefined : 'alert'}>
      <span class={isTextShown ? undefined : 'unseen'}>{says}</span>
      {trouble !== 'blocked' && (
        <button type="button" class="button" onClick={actions[trouble]}>
          {action}
        </button>
      )}
    </div>
  )
}
