import type { RefObject } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { findTracks, indexTracks } from '../../radio/library.ts'
import { useKeys } from '../data/keys.ts'
import { useAir } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { SearchField } from '../ui/fields/search-field.tsx'
import { List } from '../ui/state/list.tsx'
import { FoundTrack, type Track } from './found-track.tsx'
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
  const tracks = useQuery(mode && query ? 'GET /api/admin/songs' : null, { query: { mode: mode ?? 'day' } })
  useKeys(t.title, [{ key: '/', label: t.keyAdd, run: () => field.current?.focus() }])
  return (
    <div class="add-song">
      <SearchField label={t.search} value={query} onValue={setQuery} field={field} />
      {query ? (
        <List state={tracks} rows={4}>
          {(all) => <Found tracks={all} query={query} {...props} />}
        </List>
      ) : (
        <p class="hint">{t.typeToFind}</p>
      )}
    </div>
  )
}

function Found(props: Props & { tracks: readonly Track[]; query: string }) {
  const { tracks, query, queue, dropping } = props
  const t = useOnAirTexts()
  const air = useAir()
  const index = useMemo(() => indexTracks(tracks), [tracks])
  const found = findTracks(index, query)
  if (!found.length) return <p class="hint">{t.nothingFound}</p>
  const items = queue?.items ?? []
  const shown = { items, airId: air?.track ?? null, left: air ? air.totalTracks - 1 - air.currentIndex : 0 }
  return (
    <>
      <ul class="found found-songs">
        {found.slice(0, SHOWN).map(({ track }) => (
          <FoundTrack
            key={track.id}
            track={track}
            items={items}
            places={air && !air.isPreparing ? placesForNew(shown, track.id) : []}
            dropping={dropping}
          />
        ))}
      </ul>
      {found.length > SHOWN && <p class="hint">{t.more(found.length - SHOWN)}</p>}
    </>
  )
}
