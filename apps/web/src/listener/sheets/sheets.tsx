import type { ListenerPlace, RadioState } from '@solstice/contracts'
import { lazyPage } from '../../ui/loading/lazy-page.tsx'
import type { SleepTimer } from '../sleep/sleep-timer.ts'
import type { ShownTrack } from './cover/sheet.tsx'
import type { DonateSubject } from './donate/sheet.tsx'
import { NewsToast } from './news-toast.tsx'

/** A sheet that lies over the page; `over`: the sheet below, to which one comes back. */
export type SheetName =
  | { is: 'lyrics' }
  | { is: 'request' }
  | { is: 'preferences' }
  | { is: 'cover'; track: ShownTrack }
  | { is: 'kept' }
  | { is: 'sleep' }
  | (ListenerPlace & { over?: SheetName })
  | { is: 'donate'; about: DonateSubject; over?: SheetName }

interface Props {
  open: SheetName | null
  state: RadioState | null
  timer: SleepTimer
  onChange: (sheet: SheetName | null) => void
}

const LyricsSheet = lazyPage(() => import('./lyrics/sheet.tsx').then((m) => m.LyricsSheet))
const RequestSheet = lazyPage(() => import('./request/sheet.tsx').then((m) => m.RequestSheet))
const DonateSheet = lazyPage(() => import('./donate/sheet.tsx').then((m) => m.DonateSheet))
const CoverSheet = lazyPage(() => import('./cover/sheet.tsx').then((m) => m.CoverSheet))
const PreferencesSheet = lazyPage(() => import('../preferences/sheet.tsx').then((m) => m.PreferencesSheet))
const HistorySheet = lazyPage(() => import('./history/sheet.tsx').then((m) => m.HistorySheet))
const TrackSheet = lazyPage(() => import('./track/sheet.tsx').then((m) => m.TrackSheet))
const KeptSheet = lazyPage(() => import('./kept/sheet.tsx').then((m) => m.KeptSheet))
const SleepSheet = lazyPage(() => import('../sleep/sheet.tsx').then((m) => m.SleepSheet))

/** The open sheets. Without one, news appears over the page itself. */
export function Sheets({ open, state, timer, onChange }: Props) {
  if (!open) return <NewsToast />
  const below = open.is === 'donate' ? open.over : open
  const close = () => onChange(null)
  return (
    <>
      {below?.is === 'lyrics' && state && <LyricsSheet state={state} onClose={close} />}
      {below?.is === 'request' && (
        <RequestSheet
          onClose={close}
          onChoose={(track) => onChange({ is: 'donate', about: { track }, over: below })}
        />
      )}
      {open.is === 'cover' && <CoverSheet track={open.track} onClose={() => onChange(null)} />}
      {below && <KeptSheets open={below} onChange={onChange} />}
      {open.is === 'preferences' && <PreferencesSheet onClose={close} />}
      {open.is === 'sleep' && <SleepSheet timer={timer} onClose={close} />}
      {open.is === 'donate' && (
        <DonateSheet
          about={open.about}
          onLibrary={() => onChange({ is: 'request' })}
          onClose={() => onChange(open.over ?? null)}
        />
      )}
    </>
  )
}

/** Sheets of tracks, each of which leads to others. */
function KeptSheets({ open, onChange }: { open: SheetName; onChange: Props['onChange'] }) {
  const over = 'over' in open ? open.over : undefined
  const back = () => onChange(over ?? null)
  if (open.is === 'history')
    return (
      <HistorySheet
        date={open.date}
        time={open.time}
        onTrack={(track, at) => onChange({ is: 'song', track, over: { is: 'history', ...at } })}
        onClose={() => onChange(null)}
      />
    )
  if (open.is === 'song')
    return (
      <TrackSheet
        trackId={open.track}
        onChoose={(track) => onChange({ is: 'donate', about: { track }, over: open })}
        onMoment={(date, time) => onChange({ is: 'history', date, time })}
        onClose={back}
      />
    )
  if (open.is === 'kept')
    return (
      <KeptSheet
        onTrack={(track) => onChange({ is: 'song', track, over: open })}
        onChoose={(track) => onChange({ is: 'donate', about: { track }, over: open })}
        onClose={() => onChange(null)}
      />
    )
  return null
}
