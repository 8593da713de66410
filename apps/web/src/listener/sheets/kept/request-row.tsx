import './request-row.css'
import type { AwaitedSong } from '@solstice/contracts'
import { Icon } from '../../../ui/icons.tsx'
import { trackLine } from '../../format.ts'
import { type LoggedRequest, requestLog } from '../../kept/request-log.ts'
import { useRadio } from '../../radio-context.ts'
import { useTelling } from '../../tell/use-telling.ts'
import { useSheetTexts } from '../texts.ts'
import { TrackLink } from './track-link.tsx'

interface Props {
  entry: LoggedRequest
  onTrack: (track: string) => void
}

/** A request that was sent from this device, and what became of it. */
export function RequestRow({ entry, onTrack }: Props) {
  const { locale } = useRadio()
  const k = useSheetTexts().kept
  const shown = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'short' })
  const song = awaitedIn(entry)
  return (
    <li class="own-request">
      <TrackLink
        track={entry.track}
        note={`${k.outcomes[entry.is]} · ${shown.format(entry.atMs)}`}
        onTrack={onTrack}
      />
      {song && <Bell song={song} name={trackLine(entry.track)} />}
      <button
        type="button"
        class="tool"
        aria-label={k.remove(trackLine(entry.track))}
        onClick={() => requestLog.update((before) => before.filter((other) => other !== entry))}
      >
        <Icon name="trash" size={20} />
      </button>
    </li>
  )
}

/** Has the station tell of the track, or no longer. */
function Bell({ song, name }: { song: AwaitedSong; name: string }) {
  const s = useSheetTexts().tell
  const telling = useTelling(song)
  if (!telling) return null
  const { isAwaited, isAsking, says, toggle } = telling
  return (
    <>
      <button
        type="button"
        class="tool bell"
        aria-label={`${s.ask}: ${name}`}
        aria-pressed={isAwaited}
        aria-disabled={isAsking}
        onClick={toggle}
      >
        <Icon name="bell" size={20} />
      </button>
      <p role="status" class="nothing told">
        {says}
      </p>
    </>
  )
}

/** The track that is still to come; null when it was played, or will not be. */
function awaitedIn({ is, track, orderId }: LoggedRequest): AwaitedSong | null {
  if (orderId !== undefined) return is === 'pending' || is === 'paid' ? { order: orderId } : null
  return is === 'sent' || is === 'accepted' ? { request: track.id } : null
}
