import './sheet.css'
import type { LibraryItem, Reply } from '@solstice/contracts'
import { ApiError, get } from '../../../api.ts'
import { pathOf } from '../../../ui/language/language.ts'
import { Sheet, SheetHead } from '../../../ui/sheet/sheet.tsx'
import { useStore } from '../../../ui/store.ts'
import { formatDuration, trackLine } from '../../format.ts'
import { Heart } from '../../kept/heart.tsx'
import { RequestButton } from '../../kept/request-button.tsx'
import { ShareButton } from '../../kept/share-button.tsx'
import { useRadio } from '../../radio-context.ts'
import { dateIn, timeIn } from '../history/moments.ts'
import { NewsToast } from '../news-toast.tsx'
import { RequestStatus } from '../request/status.tsx'
import { useSheetTexts } from '../texts.ts'
import { useAnswer } from '../use-answer.ts'

interface Props {
  trackId: string
  onChoose: (track: LibraryItem) => void
  onMoment: (date: string, time: string) => void
  onClose: () => void
}

type TrackFacts = Reply<typeof import('@solstice/contracts').listening.getTrack>

/** A track: what it is, when it was last on, and what a listener can do with it. */
export function TrackSheet(props: Props) {
  const { t } = useRadio()
  const s = useSheetTexts().song
  const { trackId, onClose } = props
  const [answer, again] = useAnswer(trackId, () => get('/api/track', { track: trackId }))
  const isGone = answer.is === 'failed' && answer.error instanceof ApiError && answer.error.status === 404
  return (
    <Sheet class="side song" label={s.title} onClose={onClose}>
      <div class="sheet-body">
        <SheetHead title={s.title} close={t.close} />
        {answer.is === 'loading' && (
          <p class="nothing" role="status">
            {s.loading}
          </p>
        )}
        {answer.is === 'failed' && <p role="alert">{isGone ? s.gone : s.failed}</p>}
        {answer.is === 'failed' && !isGone && (
          <button type="button" class="button" onClick={again}>
            {s.again}
          </button>
        )}
        {answer.is === 'there' && <TrackView song={answer.value} {...props} />}
      </div>
      <NewsToast />
    </Sheet>
  )
}

const STATUS_ID = 'song-request-status'

function TrackView({ song, onChoose, onMoment }: Props & { song: TrackFacts }) {
  const { locale } = useRadio()
  const s = useSheetTexts().song
  const track = { id: song.id, title: song.title, artist: song.artist }
  const place = { is: 'song', track: song.id } as const
  return (
    <>
      <div class="song-head">
        <div>
          <h3>{song.title}</h3>
          <p>{song.artist}</p>
        </div>
        <Heart track={track} isNamed={false} />
      </div>
      <Facts song={song} onMoment={onMoment} />
      <RequestStatus id={STATUS_ID} />
      <div class="song-actions">
        <RequestButton track={track} onChoose={onChoose} statusId={STATUS_ID} />
        <ShareButton
          label={s.share}
          title={trackLine(song)}
          path={pathOf({ page: 'player', locale, place })}
        />
      </div>
    </>
  )
}

function Facts({ song, onMoment }: { song: TrackFacts; onMoment: Props['onMoment'] }) {
  const { radio, locale } = useRadio()
  const s = useSheetTexts().song
  const timeZone = useStore(radio.config)?.timeZone ?? 'UTC'
  const isNow = useStore(radio.heard)?.state.track === song.id
  const record = [song.album, song.year].filter(Boolean).join(', ')
  const { lastPlayedAt } = song
  const lastPlayed = () => {
    if (isNow) return s.now
    if (lastPlayedAt === null) return s.never
    const shown = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone })
    const open = () => onMoment(dateIn(lastPlayedAt, timeZone), timeIn(lastPlayedAt, timeZone))
    return (
      <button type="button" class="text-button" onClick={open}>
        {shown.format(lastPlayedAt)}
      </button>
    )
  }
  return (
    <dl class="song-facts">
      {record && (
        <>
          <dt>{s.album}</dt>
          <dd>{record}</dd>
        </>
      )}
      {song.duration && (
        <>
          <dt>{s.duration}</dt>
          <dd>{formatDuration(song.duration)}</dd>
        </>
      )}
      <dt>{s.lastPlayed}</dt>
      <dd>{lastPlayed()}</dd>
    </dl>
  )
}
