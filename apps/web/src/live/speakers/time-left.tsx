import { formatDuration } from '../../listener/format.ts'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import type { LiveConnection } from '../live-connection.ts'
import type { Speakers } from './speakers.ts'

const LAST_MINUTE_S = 60

/** The time that a guest on air has left, counted down; nothing for a host. */
export function TimeLeft(props: {
  speakers: Speakers
  id: string
  connection: Pick<LiveConnection, 'stationNowMs'>
  text: (time: string) => string
}) {
  const { speakers, id, connection, text } = props
  const endsAt = useStore(speakers.endsAt).get(id)
  useNow(endsAt === undefined ? null : 500)
  if (endsAt === undefined) return null
  const leftS = Math.max(0, endsAt - connection.stationNowMs()) / 1000
  return (
    <span class="time-left" role="timer" data-last={leftS <= LAST_MINUTE_S}>
      {text(formatDuration(leftS))}
    </span>
  )
}
