import './heart.css'
import { Icon } from '../../ui/icons.tsx'
import { useStore } from '../../ui/store.ts'
import { trackLine } from '../format.ts'
import { useRadio } from '../radio-context.ts'
import { favourites, isFavourite, type KeptTrack, toggled } from './favourites.ts'

/** Keeps a track among the favourites of this device, or removes it. */
export function Heart({ track, isNamed = true }: { track: KeptTrack; isNamed?: boolean }) {
  const { t } = useRadio()
  const isKept = isFavourite(useStore(favourites), track.id)
  const label = isNamed ? t.extras.favouriteOf(trackLine(track)) : t.extras.favourite
  return (
    <button
      type="button"
      class="tool heart"
      aria-pressed={isKept}
      aria-label={label}
      title={t.extras.favourite}
      onClick={() => favourites.update((list) => toggled(list, track))}
    >
      <Icon name="support" />
    </button>
  )
}
