import { Denied } from '../ui/layers/guarded.tsx'
import './track.css'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { coverUrl } from '../../ui/cover-url.ts'
import { lazyPage } from '../../ui/loading/lazy-page.tsx'
import { useCommand } from '../data/commands.ts'
import { useUrlState } from '../data/location.ts'
import { useAdmin, useToasts } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Tabs } from '../ui/fields/tabs.tsx'
import { Icon } from '../ui/icon.tsx'
import { Drawer } from '../ui/layers/drawer.tsx'
import { Badge } from '../ui/state/badge.tsx'
import { List } from '../ui/state/list.tsx'
import { ArtworkTab } from './artwork-tab.tsx'
import { begin, differences, draftOf, type Editing, isChanged, keepMine, toSave } from './draft/draft.ts'
import { tagProblems } from './draft/tags.ts'
import { useEditing } from './draft/use-editing.ts'
import { RecordTab } from './record-tab.tsx'
import { TagsTab } from './tags-tab.tsx'
import { OUTDATES, TrackProvider, type TrackRow, useLock, useTrackRow, useTrackTexts } from './use-track.ts'

const EDIT = { anyOf: ['editor_meta', 'editor_lyrics'], capabilities: ['editTrackMetadata'] } as const

const ART = { capabilities: ['artistArts'] } as const
const LyricsTab = lazyPage(async () => (await import('./lyrics/lyrics-tab.tsx')).LyricsTab)

const SoundTab = lazyPage(async () => (await import('./sound-tab.tsx')).SoundTab)

/** Everything about one track, and what can be changed of it. Changes that are not saved outlive the drawer. */
export function TrackDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const row = useTrackRow(id)
  const t = useTrackTexts()
  if (row.is === 'ready') return <Known key={id} track={row.data.track} onClose={onClose} />
  return (
    <Drawer title={t.opening} isWide onClose={onClose}>
      <List state={row}>{() => null}</List>
    </Drawer>
  )
}

function Known({ track, onClose }: { track: TrackRow; onClose: () => void }) {
  const { may, verdict } = useAdmin()
  const t = useTrackTexts()
  const [, select] = useUrlState('sel')
  const lyrics = useQuery(may(EDIT) ? 'GET /api/admin/lyrics/cache-entry' : null, {
    query: { songId: track.id },
  })
  const known = lyrics.is === 'ready' && !lyrics.isStale && !lyrics.isRenewing ? lyrics.data : null
  const stored = useMemo(() => {
    if (!may(EDIT)) return draftOf(track, { entry: { synced: false, lines: [] }, offset: 0 })
    return known && draftOf(track, known)
  }, [track, known])
  const { editing, change } = useEditing(track.id, stored)
  const [tab, setTab] = useState('tags')
  const right = verdict(EDIT)
  // The other tabs save by themselves.
  const isSaved = tab !== 'tags' && tab !== 'lyrics' && editing !== null && !isChanged(editing)
  const actions = editing && may(EDIT) && !isSaved && (
    <SaveBar
      id={track.id}
      editing={editing}
      change={change}
      onSaved={(savedId) => savedId !== track.id && select(savedId, { replace: true })}
    />
  )
  const tabs = [
    { id: 'tags', title: t.tags },
    ...(right.is === 'hidden' ? [] : [{ id: 'lyrics', title: t.lyrics }]),
    { id: 'sound', title: t.sound },
    ...(verdict(ART).is === 'hidden' ? [] : [{ id: 'artwork', title: t.artwork }]),
    { id: 'record', title: t.record },
  ]
  return (
    <TrackProvider value={track}>
      <Drawer title={track.title} isWide onClose={onClose} actions={actions}>
        <Head track={track} />
        {editing?.theirs && <Theirs change={change} />}
        <Tabs label={t.sections} tabs={tabs} chosen={tab} onChoose={setTab}>
          {tab === 'sound' ? (
            <SoundTab />
          ) : tab === 'artwork' ? (
            <ArtworkTab />
          ) : tab === 'record' ? (
            <RecordTab />
          ) : tab === 'lyrics' && right.is === 'denied' ? (
            <Denied right={right} />
          ) : editing && tab === 'lyrics' ? (
            <LyricsTab editing={editing} change={change} />
          ) : editing ? (
            <TagsTab
              tags={editing.draft.tags}
              onTags={(tags) => change((now) => ({ ...now, draft: { ...now.draft, tags } }))}
              onMoved={(movedId) => select(movedId, { replace: true })}
              onDeleted={onClose}
            />
          ) : (
            <List state={lyrics} rows={4}>
              {() => null}
            </List>
          )}
        </Tabs>
      </Drawer>
    </TrackProvider>
  )
}

function Head({ track }: { track: TrackRow }) {
  const t = useTrackTexts()
  const lock = useLock(track.id)
  return (
    <div class="track-head">
      <p>
        {track.cover && <img src={coverUrl(track.cover, 96)} width={56} height={56} alt="" />}
        {track.artist} <Badge>{t[track.mode]}</Badge>
      </p>
      {lock && (
        <p class="track-lock" role="status">
          <Icon name="lock" size={18} />
          {t.locks[lock]}
        </p>
      )}
    </div>
  )
}

type Change = (next: (editing: Editing) => Editing) => void

function Theirs({ change }: { change: Change }) {
  const t = useTrackTexts()
  return (
    <div class="track-theirs" role="alert">
      <p>{t.theirs}</p>
      <button
        type="button"
        class="button"
        onClick={() => change((now) => (now.theirs ? begin(now.theirs) : now))}
      >
        {t.takeTheirs}
      </button>
      <button type="button" class="text-button" onClick={() => change(keepMine)}>
        {t.keepMine}
      </button>
    </div>
  )
}

/** Saves what has changed, and says what has not been saved. */
function SaveBar(props: { id: string; editing: Editing; change: Change; onSaved: (id: string) => void }) {
  const { id, editing, change, onSaved } = props
  const t = useTrackTexts()
  const toasts = useToasts()
  const lock = useLock(id)
  const { run, isBusy } = useCommand('POST /api/admin/song-editor/save', { outdates: OUTDATES })
  const changed = differences(editing.stored, editing.draft)
  const parts = (['tags', 'lyrics', 'offset'] as const).filter((name) => changed[name])
  const save = async () => {
    if (lock) return
    const request = toSave(id, editing)
    if (!request) return void toasts.show({ is: 'note', text: t.unchanged })
    if (changed.tags && Object.keys(tagProblems(editing.draft.tags)).length)
      return void toasts.show({ is: 'failed', text: t.fixFirst })
    const reply = await run({ body: request })
    if (!reply) return
    change(() => begin(draftOf(reply.track, reply)))
    onSaved(reply.track.id)
  }
  useSaveKey(save)
  return (
    <>
      <button
        type="button"
        class="button primary"
        aria-keyshortcuts="Control+S"
        aria-disabled={isBusy || lock !== null}
        title={lock ? t.locks[lock] : undefined}
        onClick={save}
      >
        {isBusy ? t.saving : t.save}
      </button>
      {isChanged(editing) && (
        <>
          <button
            type="button"
            class="text-button"
            onClick={() => change(({ stored, theirs }) => begin(theirs ?? stored))}
          >
            {t.revert}
          </button>
          <span class="hint" role="status">
            {t.unsaved(parts.map((name) => t.parts[name]).join(', '))}
          </span>
        </>
      )}
    </>
  )
}

/** Ctrl or ⌘ S. */
function useSaveKey(save: () => void): void {
  const current = useRef(save)
  current.current = save
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.code !== 'KeyS' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      current.current()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
}
