import type { RadioState } from '@solstice/contracts'
import { PreferencesSheet } from '../preferences/sheet.tsx'
import { CoverSheet, type ShownTrack } from './cover/sheet.tsx'
import { DonateSheet, type DonateSubject } from './donate/sheet.tsx'
import { LyricsSheet } from './lyrics/sheet.tsx'
import { NewsToast } from './news-toast.tsx'
import { RequestSheet } from './request/sheet.tsx'

/** A sheet that lies over the page; `over`: the sheet below, to which one comes back. */
export type SheetName =
  | { is: 'lyrics' }
  | { is: 'request' }
  | { is: 'preferences' }
  | { is: 'cover'; track: ShownTrack }
  | { is: 'donate'; about: DonateSubject; over?: SheetName }

interface Props {
  open: SheetName | null
  state: RadioState | null
  onChange: (sheet: SheetName | null) => void
}

/** The open sheets. Without one, news appears over the page itself. */
export function Sheets({ open, state, onChange }: Props) {
  if (!open) return <NewsToast />
  const below = open.is === 'donate' ? open.over : open
  return (
    <>
      {below?.is === 'lyrics' && state && <LyricsSheet state={state} onClose={() => onChange(null)} />}
      {below?.is === 'request' && (
        <RequestSheet
          onClose={() => onChange(null)}
          onChoose={(track) => onChange({ is: 'donate', about: { track }, over: below })}
        />
      )}
      {open.is === 'preferences' && <PreferencesSheet onClose={() => onChange(null)} />}
      {open.is === 'cover' && <CoverSheet track={open.track} onClose={() => onChange(null)} />}
      {open.is === 'donate' && <DonateSheet about={open.about} onClose={() => onChange(open.over ?? null)} />}
    </>
  )
}
