import type { QueueItem } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { formatDuration } from '../../listener/format.ts'
import { useAdmin, useAir, useStation } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import type { ReplyOf } from '../data/routes.ts'
import { Denied } from '../ui/layers/guarded.tsx'
import { List } from '../ui/state/list.tsx'
import { useTrack, useTrackTexts } from './use-track.ts'

const HISTORY = { anyOf: ['editor_meta', 'editor_lyrics'], capabilities: ['auditLog'] } as const

/** How often a track plays, where it is queued, and who changed what of it. */
export function RecordTab() {
  const { id, plays, lastPlayedAt, addedAt, duration } = useTrack()
  const t = useTrackTexts()
  const moment = useMoment()
  const right = useAdmin().verdict(HISTORY)
  const places = useQueuePlaces()
  const changes = useQuery(right.is === 'open' ? 'GET /api/admin/song-editor/history' : null, {
    query: { songId: id, limit: 30 },
  })
  return (
    <>
      <dl class="track-facts">
        <dt>{t.plays}</dt>
        <dd>{plays}</dd>
        <dt>{t.lastPlayed}</dt>
        <dd>{lastPlayedAt === null ? t.never : moment(lastPlayedAt)}</dd>
        <dt>{t.added}</dt>
        <dd>{addedAt === null ? t.unknown : moment(addedAt)}</dd>
        <dt>{t.queued}</dt>
        <dd>{places.length ? places.map((place) => t.place(place)).join(', ') : t.notQueued}</dd>
        <dt>{t.length}</dt>
        <dd>{duration === null ? t.unknown : formatDuration(duration)}</dd>
      </dl>
      {right.is !== 'hidden' && (
        <section class="track-changes" aria-labelledby="track-changes">
          <h3 id="track-changes">{t.changes}</h3>
          {right.is === 'denied' ? (
            <Denied right={right} />
          ) : (
            <List
              state={changes}
              rows={3}
              isEmpty={({ entries }) => entries.length === 0}
              empty={<p>{t.noChanges}</p>}
            >
              {({ entries }) => (
                <ol class="track-changes">
                  {entries.map((entry) => (
                    <Entry key={entry.id} entry={entry} />
                  ))}
                </ol>
              )}
            </List>
          )}
        </section>
      )}
    </>
  )
}

type AuditEntry = ReplyOf<'GET /api/admin/song-editor/history'>['entries'][number]
interface Details {
  details?: { changes?: { field: string; before: unknown; after: unknown }[] }
}

function Entry({ entry }: { entry: AuditEntry }) {
  const t = useTrackTexts()
  const moment = useMoment()
  const { details } = entry.data as Details
  const told = (value: unknown) => (value === null || value === '' ? '—' : String(value))
  return (
    <li>
      <p>
        <b>{t.operations[entry.operationType] ?? entry.operationType}</b> · {entry.adminLogin}{' '}
        <span class="hint">{moment(entry.createdAt)}</span>
      </p>
      {details?.changes?.map(({ field, before, after }) => (
        <p key={field} class="hint">
          {t.fields[field] ?? field}: <s>{told(before)}</s> → {told(after)}
        </p>
      ))}
    </li>
  )
}

/** Date and time in the zone of the station. */
function useMoment(): (atMs: number) => string {
  const { locale, config } = useAdmin()
  const format = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    timeZone: config.timeZone,
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  return (atMs) => format.format(atMs)
}

/** Places of the track in the queue, 1 = next; asked for again when the air changes. */
function useQueuePlaces(): readonly number[] {
  const station = useStation()
  const { id, title, artist } = useTrack()
  const air = useAir()
  const [places, setPlaces] = useState<readonly number[]>([])
  useEffect(() => {
    let isGone = false
    station.request('search_queue', { query: `${artist} ${title}`.slice(0, 300) }).then(
      (answer) => {
        if (isGone || !('items' in answer)) return
        const items: (QueueItem & { position: number })[] = answer.items
        setPlaces(items.filter((item) => item.id === id).map(({ position }) => position))
      },
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [station, id, air?.track, air?.totalTracks, air?.currentIndex])
  return places
}
