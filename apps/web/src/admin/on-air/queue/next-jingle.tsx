import { formatDuration } from '../../../listener/format.ts'
import { useStore } from '../../../ui/store.ts'
import { useAdmin, usePanel, useStation } from '../../data/panel.ts'
import { Icon } from '../../ui/icon.tsx'
import { useOnAirTexts } from '../on-air-context.ts'

/** The jingle that comes after the track on air because an admin put it there, and the way to take it back. */
export function NextJingle() {
  const t = useOnAirTexts()
  const station = useStation()
  const { may } = useAdmin()
  const next = useStore(usePanel().log.nextJingle)
  if (!next || !may({ allOf: ['queue_manage'] })) return null
  const { id, filename, duration } = next
  const name = filename.replace(/\.[^.]+$/, '')
  return (
    <p class="queue-jingle" role="status">
      <Icon name="sounds" size={20} />
      <span class="queue-song">
        <b>{t.jingleIsNext(name)}</b>
        {duration !== null && <span>{formatDuration(duration)}</span>}
      </span>
      <button
        type="button"
        class="tool"
        aria-label={t.jingleBackNamed(name)}
        title={t.jingleBack}
        onClick={() => station.send('admin_cancel_jingle', { id })}
      >
        <Icon name="undo" size={18} />
      </button>
    </p>
  )
}
