import type { RefObject } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { trackLine } from '../../listener/format.ts'
import { findTracks, indexTracks } from '../../radio/library.ts'
import { useKeys } from '../data/keys.ts'
import { useAdmin, useAir, useCooldown, useStation } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { SearchField } from '../ui/fields/search-field.tsx'
import { List } from '../ui/state/list.tsx'
import { useOnAirTexts } from './on-air-context.ts'

const SHOWN = 8

/** Finds a track of the mode on air and puts it in the queue. */
export function AddTrack({ field }: { field: RefObject<HTMLInputElement | null> }) {
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
          {(all) => <Found tracks={all} query={query} />}
        </List>
      ) : (
        <p class="hint">{t.typeToFind}</p>
      )}
    </div>
  )
}

type Track = { id: string; title: string; artist: string }

function Found({ tracks, query }: { tracks: readonly Track[]; query: string }) {
  const t = useOnAirTexts()
  const index = useMemo(() => indexTracks(tracks), [tracks])
  const found = findTracks(index, query)
  if (!found.length) return <p class="hint">{t.nothingFound}</p>
  return (
    <>
      <ul class="found">
        {found.slice(0, SHOWN).map(({ track }) => (
          <FoundTrack key={track.id} track={track} />
        ))}
      </ul>
      {found.length > SHOWN && <p class="hint">{t.more(found.length - SHOWN)}</p>}
    </>
  )
}

function FoundTrack({ track }: { track: Track }) {
  const station = useStation()
  const t = useOnAirTexts()
  const { secsLeft } = useCooldown('add')
  const line = trackLine(track)
  const add = (orderType: 'lastinline' | 'donated', tier: number | null = null) =>
    secsLeft === 0 && station.send('admin_add_song', { id: track.id, orderType, tier })
  const wait = secsLeft > 0 ? t.waitAdd(secsLeft) : undefined
  return (
    <li>
      <span class="queue-song">
        <b>{track.title}</b>
        <span>{track.artist}</span>
      </span>
      <button
        type="button"
        class="button"
        aria-label={t.addSong(line)}
        aria-disabled={secsLeft > 0}
        title={wait}
        onClick={() => add('lastinline')}
      >
        {secsLeft > 0 ? `${secsLeft} s` : t.asRequest}
      </button>
      <AsPaid song={line} wait={wait} onAdd={(tier) => add('donated', tier)} />
    </li>
  )
}

/** Queues a track as a paid one; where the station has tiers, the tier is asked for. */
function AsPaid(props: { song: string; wait: string | undefined; onAdd: (tier: number | null) => void }) {
  const { song, wait, onAdd } = props
  const { config } = useAdmin()
  const t = useOnAirTexts()
  const [isOpen, setOpen] = useState(false)
  const { tiersEnabled = false, tierCeiling = 0 } = config.donationInfo ?? {}
  const press = () => {
    if (wait) return
    if (tiersEnabled) setOpen(!isOpen)
    else onAdd(null)
  }
  return (
    <>
      <button
        type="button"
        class="text-button"
        aria-label={t.addAsDonation(song)}
        aria-disabled={wait !== undefined}
        aria-expanded={tiersEnabled ? isOpen : undefined}
        title={wait}
        onClick={press}
      >
        {t.asDonation}
      </button>
      {isOpen && (
        <fieldset class="air-tiers" aria-label={t.tierOf(song)}>
          <span aria-hidden="true">{t.tier}</span>
          {Array.from({ length: tierCeiling }, (_, i) => i + 1).map((tier) => (
            <button
              key={tier}
              type="button"
              class="tool"
              aria-label={`${t.tier} ${tier}`}
              onClick={() => {
                setOpen(false)
                onAdd(tier)
              }}
            >
              {tier}
            </button>
          ))}
        </fieldset>
      )}
    </>
  )
}
