import type { Mode, SongGroup } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { useCommand } from '../../data/commands.ts'
import { useToasts } from '../../data/panel.ts'
import { useQuery } from '../../data/query.ts'
import { Field } from '../../ui/fields/field.tsx'
import { Dialog } from '../../ui/layers/dialog.tsx'
import { List } from '../../ui/state/list.tsx'
import { useLibraryTexts } from '../library-context.ts'

/** As many as a group may have. */
const MOST = 2_000
const FRESH = ''

/** Puts tracks of one mode at the end of a group, or into a new one. */
export function AddToGroup(props: {
  ids: readonly string[]
  mode: Mode
  onAdded: () => void
  onClose: () => void
}) {
  const { ids, mode, onAdded, onClose } = props
  const t = useLibraryTexts().groups
  const toasts = useToasts()
  const groups = useQuery('GET /api/admin/song-groups')
  const [chosen, setChosen] = useState<string>(FRESH)
  const [name, setName] = useState('')
  const outdates = ['/api/admin/song-groups']
  const create = useCommand('POST /api/admin/song-groups', { outdates, success: '' })
  const edit = useCommand('PUT /api/admin/song-groups/:groupId', { outdates, success: '' })
  const ofMode = groups.is === 'ready' ? groups.data.items.filter((group) => group.mode === mode) : []
  const group = ofMode.find(({ id }) => id === chosen)
  const added = ids.filter((id) => !group?.songs.includes(id))
  const isFull = (group?.songs.length ?? 0) + added.length > MOST
  const finish = async () => {
    if (group && added.length === 0) return void toasts.show({ is: 'note', text: t.nothingNew(group.name) })
    const answer = group
      ? await edit.run({ params: { groupId: group.id }, body: { songs: [...group.songs, ...added] } })
      : await create.run({ body: { name: name.trim(), mode, songs: [...ids] } })
    if (!answer) return
    toasts.show({ is: 'done', text: t.added(added.length, answer.group.name) })
    onAdded()
  }
  return (
    <Dialog
      title={t.title(ids.length)}
      yes={t.add}
      isYesDisabled={isFull || (!group && !name.trim())}
      onYes={() => void finish()}
      onClose={onClose}
    >
      <List state={groups} rows={3}>
        {() => <Choices groups={ofMode} chosen={group ? chosen : FRESH} onChoose={setChosen} />}
      </List>
      {!group && <Field label={t.name} value={name} onValue={setName} maxLength={100} autocomplete="off" />}
      {isFull && <p class="lib-warning">{t.full}</p>}
    </Dialog>
  )
}

function Choices(props: { groups: readonly SongGroup[]; chosen: string; onChoose: (id: string) => void }) {
  const { groups, chosen, onChoose } = props
  const t = useLibraryTexts().groups
  const choice = (id: string, label: string, about: string) => (
    <label key={id}>
      <input type="radio" name="group" checked={chosen === id} onChange={() => onChoose(id)} />
      <span>{label}</span>
      <span class="lib-note">{about}</span>
    </label>
  )
  return (
    <fieldset class="lib-choices">
      <legend class="unseen">{t.choose}</legend>
      {groups.map(({ id, name, songCount }) => choice(id, name, t.size(songCount)))}
      {choice(FRESH, t.fresh, '')}
    </fieldset>
  )
}
