import type { Mode, SongGroup, SongPreview } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { trackLine } from '../../../listener/format.ts'
import { useCommand } from '../../data/commands.ts'
import { useAir, useTexts } from '../../data/panel.ts'
import { useQuery } from '../../data/query.ts'
import { Field } from '../../ui/fields/field.tsx'
import { SearchField } from '../../ui/fields/search-field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Drawer } from '../../ui/layers/drawer.tsx'
import { List } from '../../ui/state/list.tsx'
import { Pages } from '../../ui/state/pages.tsx'
import { Choices } from '../controls.tsx'
import { useProgrammeTexts } from '../texts.ts'

const PAGE = 5
const MAX_NAME_LENGTH = 100
const modes = ['day', 'night'] as const

/** A new group (null), or one that is changed. */
export function GroupEditor(props: { group: SongGroup | null; outdated: string[]; onClose: () => void }) {
  const { group, outdated, onClose } = props
  const t = useProgrammeTexts()
  const { cancel } = useTexts()
  const onAir = useAir()?.mode ?? 'day'
  const [name, setName] = useState(group?.name ?? '')
  const [mode, setMode] = useState<Mode>(group?.mode ?? onAir)
  const [tracks, setTracks] = useState<readonly SongPreview[]>(group?.songsPreview ?? [])
  const create = useCommand('POST /api/admin/song-groups', { outdates: outdated })
  const edit = useCommand('PUT /api/admin/song-groups/:groupId', { outdates: outdated })
  const isReady = name.trim() !== '' && tracks.length > 0 && !create.isBusy && !edit.isBusy
  const save = async () => {
    if (!isReady) return
    const body = { name, mode, songs: tracks.map(({ id }) => id) }
    const reply = group ? await edit.run({ params: { groupId: group.id }, body }) : await create.run({ body })
    if (reply) onClose()
  }
  const actions = (
    <>
      <button type="button" class="button primary" aria-disabled={!isReady} onClick={() => void save()}>
        {group ? t.save : t.create}
      </button>
      <button type="button" class="text-button" onClick={onClose}>
        {cancel}
      </button>
    </>
  )
  return (
    <Drawer title={group?.name ?? t.newBlock} onClose={onClose} actions={actions}>
      <Field label={t.blockName} value={name} maxLength={MAX_NAME_LENGTH} onValue={setName} />
      <Choices
        label={t.blockMode}
        options={modes.map((value) => ({ value, label: t[value] }))}
        chosen={mode}
        onChoose={(next) => {
          setMode(next)
          setTracks(tracks.filter(({ id }) => id.startsWith(`${next}/`)))
        }}
      />
      <section>
        <h3 class="editor-title">
          {t.blockSongs} {tracks.length > 0 && <small>{tracks.length}</small>}
        </h3>
        {tracks.length ? (
          <ol class="editor-songs">
            {tracks.map((track) => (
              <TrackRow
                key={track.id}
                track={track}
                icon="close"
                label={t.dropSong(trackLine(track))}
                onPress={() => setTracks(tracks.filter(({ id }) => id !== track.id))}
              />
            ))}
          </ol>
        ) : (
          <p class="hint">{t.blockNoSongs}</p>
        )}
      </section>
      <section>
        <h3 class="editor-title">{t.addSongs}</h3>
        <Search
          key={mode}
          mode={mode}
          chosen={new Set(tracks.map(({ id }) => id))}
          onAdd={(track) => setTracks([...tracks, track])}
        />
      </section>
    </Drawer>
  )
}

function TrackRow(props: { track: SongPreview; icon: 'close' | 'add'; label: string; onPress: () => void }) {
  const { track, icon, label, onPress } = props
  return (
    <li>
      <span class="block-name">
        <b>{track.title}</b>
        <span>{track.artist}</span>
      </span>
      <button type="button" class="tool" title={label} onClick={onPress}>
        <Icon name={icon} size={18} />
        <span class="unseen">{label}</span>
      </button>
    </li>
  )
}

/** The library of a mode, five tracks at a time. */
function Search(props: { mode: Mode; chosen: ReadonlySet<string>; onAdd: (track: SongPreview) => void }) {
  const { mode, chosen, onAdd } = props
  const t = useProgrammeTexts()
  const [query, setQuery] = useState('')
  const [offset, setOffset] = useState(0)
  const found = useQuery('GET /api/admin/song-groups/library', {
    query: { mode, query, offset, limit: PAGE },
  })
  return (
    <>
      <SearchField
        label={t.findSong}
        value={query}
        onValue={(next) => {
          setQuery(next)
          setOffset(0)
        }}
      />
      <List state={found} rows={PAGE} isEmpty={({ items }) => !items.length} empty={<p>{t.nothingFound}</p>}>
        {({ items, total }) => (
          <>
            <ul class="editor-songs editor-found">
              {items.map((track) =>
                chosen.has(track.id) ? (
                  <li key={track.id}>
                    <span class="block-name">
                      <b>{track.title}</b>
                      <span>{track.artist}</span>
                    </span>
                    <span class="hint">{t.inGroup}</span>
                  </li>
                ) : (
                  <TrackRow
                    key={track.id}
                    track={track}
                    icon="add"
                    label={t.addSong(trackLine(track))}
                    onPress={() => onAdd(track)}
                  />
                ),
              )}
            </ul>
            <Pages
              offset={offset}
              page={PAGE}
              shown={items.length}
              total={total}
              isNewestFirst={false}
              onTurn={setOffset}
            />
          </>
        )}
      </List>
    </>
  )
}
