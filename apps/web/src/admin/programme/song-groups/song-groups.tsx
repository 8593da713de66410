import type { SongGroup } from '@solstice/contracts'
import { useEffect } from 'preact/hooks'
import { formatDuration } from '../../../listener/format.ts'
import { Confirm } from '../../confirm.tsx'
import { useCommand } from '../../data/commands.ts'
import { useDrawer } from '../../data/location.ts'
import { useAdmin, useAir, useCooldown, useDenial, usePanel, useStation, useTexts } from '../../data/panel.ts'
import { Denied } from '../../ui/layers/guarded.tsx'
import { Badge } from '../../ui/state/badge.tsx'
import { useProgrammeTexts } from '../texts.ts'
import { GroupEditor } from './group-editor.tsx'

const EDIT = { allOf: ['settings_groups'] } as const
const INSERT = { allOf: ['settings_groups', 'queue_manage'] } as const
const NEW = 'new'
const OUTDATED = ['/api/admin/settings', '/api/admin/song-groups']

/** Groups of tracks that are queued as a whole. `secsLeft`: until the next insert, when the station was asked. */
export function TrackGroups({ groups, secsLeft }: { groups: readonly SongGroup[]; secsLeft: number }) {
  const t = useProgrammeTexts()
  const { verdict } = useAdmin()
  const { log } = usePanel()
  const { selected, open, close } = useDrawer()
  const right = verdict(EDIT)
  const canEdit = right.is === 'open'
  const edited = groups.find(({ id }) => id === selected)
  useEffect(() => {
    if (secsLeft) log.startCooldown('group', secsLeft)
  }, [secsLeft])
  return (
    <section class="rules blocks">
      <div class="blocks-head">
        <p class="hint">{t.blocksHint}</p>
        {canEdit && (
          <button type="button" class="button" onClick={() => open(NEW)}>
            {t.newBlock}
          </button>
        )}
      </div>
      {right.is === 'denied' && <Denied right={right} />}
      {groups.length ? (
        <ul class="blocks-list">
          {groups.map((group) => (
            <Row key={group.id} group={group} canEdit={canEdit} onEdit={() => open(group.id)} />
          ))}
        </ul>
      ) : (
        <p class="state">{t.blocksEmpty}</p>
      )}
      {canEdit && (selected === NEW || edited) && (
        <GroupEditor key={selected} group={edited ?? null} outdated={OUTDATED} onClose={close} />
      )}
    </section>
  )
}

function Row({ group, canEdit, onEdit }: { group: SongGroup; canEdit: boolean; onEdit: () => void }) {
  const t = useProgrammeTexts()
  const { cancel } = useTexts()
  const { id, name, mode, songCount, songsPreview } = group
  const remove = useCommand('DELETE /api/admin/song-groups/:groupId', { outdates: OUTDATED })
  const artists = [...new Set(songsPreview.map(({ artist }) => artist))]
  return (
    <li>
      <span class="block-name">
        <b>{name}</b>
        <span>
          {t.songs(songCount)} · {artists.slice(0, 4).join(', ')}
          {artists.length > 4 && '…'}
        </span>
      </span>
      <Badge>{t[mode]}</Badge>
      <Insert group={group} />
      {canEdit && (
        <>
          <button type="button" class="plain" aria-label={`${t.edit}: ${name}`} onClick={onEdit}>
            {t.edit}
          </button>
          <Confirm
            label={t.remove}
            about={name}
            sure={t.removeSure}
            yes={t.yesRemove}
            no={cancel}
            onYes={() => void remove.run({ params: { groupId: id } })}
          />
        </>
      )}
    </li>
  )
}

/** The station queues a group only of the mode on air, and only so often. */
function Insert({ group }: { group: SongGroup }) {
  const t = useProgrammeTexts()
  const station = useStation()
  const air = useAir()
  const { verdict } = useAdmin()
  const { cancel } = useTexts()
  const denialOf = useDenial()
  const { secsLeft } = useCooldown('group')
  const right = verdict(INSERT)
  if (right.is === 'hidden') return null
  if (right.is === 'denied')
    return (
      <button type="button" class="plain" aria-disabled="true" title={denialOf(right)}>
        {t.insert}
      </button>
    )
  if (air && air.mode !== group.mode) return <span class="hint">{t.insertOther[group.mode]}</span>
  if (secsLeft > 0) return <span class="hint">{t.insertWait(formatDuration(secsLeft))}</span>
  return (
    <Confirm
      label={t.insert}
      about={group.name}
      sure={t.insertSure(group.songCount)}
      yes={t.insert}
      no={cancel}
      onYes={() => station.send('admin_insert_song_group', { groupId: group.id })}
    />
  )
}
