import './sheet.css'
import type { RadioState } from '@solstice/contracts'
import { Icon } from '../../../ui/icons.tsx'
import { Sheet, SheetHead } from '../../../ui/sheet/sheet.tsx'
import { useRadio } from '../../radio-context.ts'
import { CoverImage } from '../../stage/cover.tsx'
import { searchesFor } from './services.ts'

/** A track as it was when the sheet was opened: it may end meanwhile. */
export type ShownTrack = Pick<RadioState, 'title' | 'artist' | 'album' | 'year' | 'cover'>

/** The cover of a track, large, and where it is to be found elsewhere. */
export function CoverSheet({ track, onClose }: { track: ShownTrack; onClose: () => void }) {
  const { t } = useRadio()
  const record = [track.album, track.year].filter(Boolean).join(', ')
  return (
    <Sheet class="cover-sheet" label={t.cover.title(track.title)} onClose={onClose}>
      <SheetHead title={track.title} close={t.close} />
      <div class="cover-sheet-body">
        <CoverImage
          cover={track.cover ?? null}
          sizes={[512, 1024]}
          width="(min-width: 48rem) 26rem, 90vw"
          alt={track.cover ? t.cover.alt(track.album || track.title) : ''}
        />
        <div class="cover-sheet-about">
          <p>
            <b>{track.artist}</b>
            {record && <span>{record}</span>}
          </p>
          <h3>{t.cover.elsewhere}</h3>
          <ul>
            {searchesFor(track).map(({ name, href }) => (
              <li key={name}>
                <a href={href} target="_blank" rel="noopener noreferrer">
                  {name}
                  <Icon name="elsewhere" size={18} />
                </a>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </Sheet>
  )
}
