import { formatDuration } from '../../listener/format.ts'
import { Confirm } from '../confirm.tsx'
import { useAdmin, useAir, useCooldown, useStation, useTexts } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Denied } from '../ui/layers/guarded.tsx'
import { List } from '../ui/state/list.tsx'
import { useOnAirTexts } from './on-air-context.ts'

/** Puts a whole group of tracks in the queue. */
export function Groups() {
  const t = useOnAirTexts()
  const mode = useAir()?.mode
  const right = useAdmin().verdict({ allOf: ['queue_manage', 'settings_groups'] })
  const groups = useQuery(right.is === 'open' ? 'GET /api/admin/song-groups' : null)
  return (
    <details class="groups">
      <summary>{t.groups}</summary>
      {right.is === 'denied' ? (
        <Denied right={right} />
      ) : (
        <List
          state={groups}
          rows={2}
          isEmpty={({ items }) => !items.some((group) => group.mode === mode)}
          empty={<p>{t.groupsEmpty}</p>}
        >
          {({ items }) => (
            <ul class="found">
              {items
                .filter((group) => group.mode === mode)
                .map(({ id, name, songCount }) => (
                  <Group key={id} id={id} name={name} songCount={songCount} />
                ))}
            </ul>
          )}
        </List>
      )}
    </details>
  )
}

function Group({ id, name, songCount }: { id: string; name: string; songCount: number }) {
  const station = useStation()
  const t = useOnAirTexts()
  const { cancel } = useTexts()
  const { secsLeft } = useCooldown('group')
  return (
    <li>
      <span class="queue-song">
        <b>{name}</b>
        <span>{t.groupSongs(songCount)}</span>
      </span>
      {secsLeft > 0 ? (
        <span class="hint">{t.waitGroup(formatDuration(secsLeft))}</span>
      ) : (
        <Confirm
          label={t.insertGroup}
          about={name}
          sure={t.groupSongs(songCount)}
          yes={t.insertGroup}
          no={cancel}
          onYes={() => station.send('admin_insert_song_group', { groupId: id })}
        />
      )}
    </li>
  )
}
