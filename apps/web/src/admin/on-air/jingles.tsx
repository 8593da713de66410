import { useState } from 'preact/hooks'
import { formatDuration } from '../../listener/format.ts'
import { useStore } from '../../ui/store.ts'
import { useAdmin, useAir, usePanel, useStation } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { SearchField } from '../ui/fields/search-field.tsx'
import { Badge } from '../ui/state/badge.tsx'
import { List } from '../ui/state/list.tsx'
import { useOnAirTexts } from './on-air-context.ts'

const RULE = { allOf: ['queue_manage'], capabilities: ['jingles'] } as const
/** The most that the station answers at once; older ones are searched for. */
const MOST = 50

/** Puts a jingle after the track on air. Nothing in sync mode, where none is heard. */
export function Jingles() {
  const t = useOnAirTexts()
  const { may, config } = useAdmin()
  if (!may(RULE) || !config.streamMode) return null
  return (
    <details class="groups">
      <summary>{t.jingles}</summary>
      <JingleList />
    </details>
  )
}

function JingleList() {
  const t = useOnAirTexts()
  const station = useStation()
  const mode = useAir()?.mode
  const next = useStore(usePanel().log.nextJingle)
  const [search, setSearch] = useState('')
  const jingles = useQuery(mode ? 'GET /api/admin/jingle-choices' : null, {
    query: { mode: mode ?? 'day', limit: MOST, ...(search && { search }) },
  })
  return (
    <>
      <SearchField label={t.findJingle} value={search} onValue={setSearch} />
      <List
        state={jingles}
        rows={2}
        isEmpty={({ items }) => items.length === 0}
        empty={<p>{search ? t.jingleNotFound : t.jinglesEmpty}</p>}
      >
        {({ items }) => (
          <ul class="found">
            {items.map(({ id, filename, duration }) => {
              const name = nameOf(filename)
              return (
                <li key={id}>
                  <span class="queue-song">
                    <b>{name}</b>
                    {duration !== null && <span>{formatDuration(duration)}</span>}
                  </span>
                  {next?.id === id ? (
                    <Badge tone="light">{t.jingleNext}</Badge>
                  ) : (
                    <button
                      type="button"
                      class="text-button"
                      aria-label={t.jingleNextNamed(name)}
                      onClick={() => station.send('admin_insert_jingle', { id })}
                    >
                      {t.jingleNext}
                    </button>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </List>
    </>
  )
}

const nameOf = (filename: string) => filename.replace(/\.[^.]+$/, '')
