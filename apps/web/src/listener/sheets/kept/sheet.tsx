import type { LibraryItem } from '@solstice/contracts'
import { Icon } from '../../../ui/icons.tsx'
import { Sheet, SheetHead } from '../../../ui/sheet/sheet.tsx'
import { useStore } from '../../../ui/store.ts'
import { asText, favourites } from '../../kept/favourites.ts'
import { Heart } from '../../kept/heart.tsx'
import { RequestButton } from '../../kept/request-button.tsx'
import { requestLog } from '../../kept/request-log.ts'
import { saveText } from '../../kept/save-text.ts'
import { PreferenceSection } from '../../preferences/choice.tsx'
import { useRadio } from '../../radio-context.ts'
import { NewsToast } from '../news-toast.tsx'
import { RequestStatus } from '../request/status.tsx'
import { useSheetTexts } from '../texts.ts'
import { RequestRow } from './request-row.tsx'
import { TrackLink } from './track-link.tsx'

interface Props {
  onTrack: (track: string) => void
  onChoose: (track: LibraryItem) => void
  onClose: () => void
}

/** What this device keeps: favourites, and the requests that were sent from it. */
export function KeptSheet({ onTrack, onChoose, onClose }: Props) {
  const { t } = useRadio()
  const k = useSheetTexts().kept
  return (
    <Sheet class="side kept" label={k.title} onClose={onClose}>
      <div class="sheet-body">
        <SheetHead title={k.title} close={t.close} />
        <Favourites onTrack={onTrack} onChoose={onChoose} />
        <Requests onTrack={onTrack} />
        <p class="nothing">{k.stored}</p>
      </div>
      <NewsToast />
    </Sheet>
  )
}

const STATUS_ID = 'kept-request-status'

function Favourites({ onTrack, onChoose }: Omit<Props, 'onClose'>) {
  const k = useSheetTexts().kept
  const list = useStore(favourites)
  return (
    <PreferenceSection title={k.favourites}>
      {list.length === 0 ? <p class="nothing">{k.noFavourites}</p> : <RequestStatus id={STATUS_ID} />}
      <ol class="tracks">
        {list.map((track) => (
          <li key={track.id}>
            <TrackLink track={track} onTrack={onTrack} />
            <RequestButton track={track} onChoose={onChoose} statusId={STATUS_ID} />
            <Heart track={track} />
          </li>
        ))}
      </ol>
      {list.length > 0 && (
        <button type="button" class="button share" onClick={() => saveText(k.fileName, asText(list))}>
          <Icon name="download" size={18} />
          {k.save}
        </button>
      )}
    </PreferenceSection>
  )
}

function Requests({ onTrack }: { onTrack: (track: string) => void }) {
  const k = useSheetTexts().kept
  const log = useStore(requestLog)
  return (
    <PreferenceSection title={k.requests}>
      {log.length === 0 && <p class="nothing">{k.noRequests}</p>}
      <ol class="tracks">
        {log.map((entry) => (
          <RequestRow key={`${entry.atMs} ${entry.track.id}`} entry={entry} onTrack={onTrack} />
        ))}
      </ol>
      {log.length > 1 && (
        <button type="button" class="text-button" onClick={() => requestLog.update(() => [])}>
          {k.clear}
        </button>
      )}
    </PreferenceSection>
  )
}
