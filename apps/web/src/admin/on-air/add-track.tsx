import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { type FoundTracks, useFoundTracks } from '../data/found-tracks.ts'
import { useKeys } from '../data/keys.ts'
import { useAir } from '../data/panel.ts'
import { SearchField } from '../ui/fields/search-field.tsx'
import { List } from '../ui/state/list.tsx'
import { FoundTrack } from './found-track.tsx'
import { useOnAirTexts } from './on-air-context.ts'
import { placesForNew } from './queue/places.ts'
import type { Dropping } from './queue/use-dropping.ts'
import type { QueuePage } from './queue/use-queue.ts'

const SHOWN = 20

interface Props {
  /** null until it is known. */
  queue: QueuePage | null
  dropping: Dropping
}

/** Finds a track of the mode on air and puts it in the queue: behind the requested ones, at a place, or as a paid one. */
export function AddTrack(props: Props & { field: RefObject<HTMLInputElement | null> }) {
  const { field } = props
  const t = useOnAirTexts()
  const mode = useAir()?.mode
  const [query, setQuery] = useState('')
  const tracks = useFoundTracks(query, mode, SHOWN)
  useKeys(t.title, [{ key: '/', label: t.keyAdd, run: () => field.current?.focus() }])
  return (
    <div class="add-song">
      <SearchField label={t.search} value={query} onValue={setQuery} field={field} />
      {query ? (
        <List state={tracks} rows={4}>
          {(found) => <Found found={found} {...props} />}
        </List>
      ) : (
        <p class="hint">{t.typeToFind}</p>
      )}
    </div>
  )
}

function Found(props: Props & { found: FoundTracks }) {
  const { found, queue, dropping } = props
  const t = useOnAirTexts()
  const air = useAir()
  if (!found.total) return <p class="hint">{t.nothingFound}</p>
  const items = queue?.items ?? []
  const shown = { items, airId: air?.track ?? null, left: air ? air.totalTracks - 1 - air.currentIndex : 0 }
  return (
    <>
      <ul class="found found-songs">
        {found.items.map((track) => (
          <FoundTrack
            key={track.id}
            track={track}
            items={items}
            places={air && !air.isPreparing ? placesForNew(shown, track.id) : []}
            dropping={dropping}
          />
        ))}
      </ul>
      {found.total > SHOWN && <p class="hint">{t.more(found.total - SHOWN)}</p>}
    </>
  )
}
