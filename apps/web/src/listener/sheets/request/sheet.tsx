import './sheet.css'
import type { LibraryItem } from '@solstice/contracts'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { findTracks, type LibraryState } from '../../../radio/library.ts'
import type { BlockedReason } from '../../../radio/requests.ts'
import { Icon } from '../../../ui/icons.tsx'
import { Sheet, SheetHead } from '../../../ui/sheet/sheet.tsx'
import { useStore } from '../../../ui/store.ts'
import { TrackLine } from '../../covers/track-line.tsx'
import { placeOf, trackLine } from '../../format.ts'
import { requestLog } from '../../kept/request-log.ts'
import { useRadio } from '../../radio-context.ts'
import { TellMe } from '../../tell/tell-me.tsx'
import { counted } from '../../texts/plural.ts'
import { NewsToast } from '../news-toast.tsx'
import { useSheetTexts } from '../texts.ts'
import { RequestStatus, useRequestStatus } from './status.tsx'

const FIRST_TRACKS = 10
const MORE_TRACKS = 10
const STATUS_ID = 'request-status'

/** The library of the programme, in which a track is searched, and requested or paid for. */
export function RequestSheet(props: { onClose: () => void; onChoose: (track: LibraryItem) => void }) {
  const { onClose, onChoose } = props
  const { radio, t } = useRadio()
  const library = useStore(radio.library.state)
  const { blocked } = useRequestStatus()
  const [query, setQuery] = useState('')
  const [shown, setShown] = useState(FIRST_TRACKS)
  const list = useRef<HTMLOListElement>(null)
  const tracks = library.is === 'loaded' ? library.tracks : null
  const found = useMemo(() => (tracks ? findTracks(tracks, query) : []), [tracks, query])

  useEffect(() => radio.library.open(), [radio])
  // Keyboard users continue at the first of the tracks that were added.
  useEffect(() => {
    if (shown > FIRST_TRACKS) list.current?.children[shown - MORE_TRACKS]?.querySelector('button')?.focus()
  }, [shown])
  const search = (words: string) => {
    setQuery(words)
    setShown(FIRST_TRACKS)
  }

  return (
    <Sheet class="side request" label={t.request.title} onClose={onClose}>
      <div class="sheet-body">
        <SheetHead title={t.request.title} close={t.close} />
        <RequestStatus id={STATUS_ID} />
        <LastRequest />
        <SearchField query={query} onQuery={search} />
        <LibraryStatus library={library} foundCount={found.length} />
        <ol class="tracks" ref={list}>
          {found.slice(0, shown).map(({ track }) => (
            <TrackRow key={track.id} track={track} blocked={blocked} onChoose={() => onChoose(track)} />
          ))}
        </ol>
        {found.length > shown && (
          <button type="button" class="button more" onClick={() => setShown(shown + MORE_TRACKS)}>
            {t.request.more(Math.min(MORE_TRACKS, found.length - shown))}
          </button>
        )}
      </div>
      <NewsToast />
    </Sheet>
  )
}

/** The request that this device made last, while it is undecided or waits for its turn. */
function LastRequest() {
  const s = useSheetTexts().tell
  const [last] = useStore(requestLog)
  if (!last || !(last.is === 'sent' || last.is === 'accepted')) return null
  return (
    <div class="last-request">
      <p class="nothing">{s.about(trackLine(last.track))}</p>
      <TellMe song={{ request: last.track.id }} />
    </div>
  )
}

function SearchField({ query, onQuery }: { query: string; onQuery: (words: string) => void }) {
  const { t } = useRadio()
  return (
    <label class="search">
      <Icon name="search" size={18} />
      <span class="unseen">{t.request.search}</span>
      <input
        type="search"
        autofocus
        autocomplete="off"
        maxLength={300}
        placeholder={t.request.search}
        value={query}
        onInput={(event) => onQuery(event.currentTarget.value)}
      />
    </label>
  )
}

function LibraryStatus({ library, foundCount }: { library: LibraryState; foundCount: number }) {
  const { radio, locale, t } = useRadio()
  const text = () => {
    if (library.is !== 'loaded') return t.request[library.is]
    if (foundCount > 0) return counted(foundCount, t.request.found, locale)
    return library.tracks.length ? t.request.none : t.request.empty
  }
  return (
    <>
      <p class="nothing" role="status">
        {text()}
      </p>
      {library.is === 'failed' && (
        <button type="button" class="button" onClick={radio.library.retry}>
          {t.request.again}
        </button>
      )}
    </>
  )
}

interface TrackRowProps {
  track: LibraryItem
  blocked: BlockedReason | null
  onChoose: () => void
}

/** A track. Where it can be paid for too, one chooses how in a sheet of its own. */
function TrackRow({ track, blocked, onChoose }: TrackRowProps) {
  const { radio, t } = useRadio()
  const { requests } = radio.connection
  const isSending = useStore(requests.isSending)
  const canPay = Boolean(useStore(radio.config)?.donationInfo)
  const place = placeOf(track, useStore(radio.heard)?.state ?? null)
  if (canPay)
    return (
      <li>
        <button
          type="button"
          class="request-row"
          aria-label={[trackLine(track), place && t.request.places[place]].filter(Boolean).join(', ')}
          aria-haspopup="dialog"
          onClick={onChoose}
        >
          <TrackLine id={track.id} track={track} />
          {place && <span class="badge">{t.request.places[place]}</span>}
          <Icon name="forward" size={18} />
        </button>
      </li>
    )
  return (
    <li>
      <TrackLine id={track.id} track={track} />
      {place && <span class="badge">{t.request.places[place]}</span>}
      <button
        type="button"
        class="button"
        aria-label={t.request.oneOf(trackLine(track))}
        // Stays focusable while disabled, so that the focus isn't lost when a cooldown begins.
        aria-disabled={blocked !== null || isSending}
        aria-describedby={blocked ? STATUS_ID : undefined}
        onClick={() => blocked || requests.send(track)}
      >
        {t.request.one}
      </button>
    </li>
  )
}
