import type { ClipFamily, Mode } from '@solstice/contracts'
import { useRef, useState } from 'preact/hooks'
import { Confirm } from '../confirm.tsx'
import { type CommandOptions, useCommand } from '../data/commands.ts'
import { useKeys } from '../data/keys.ts'
import { useUrlState } from '../data/location.ts'
import { useToasts } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { SearchField } from '../ui/fields/search-field.tsx'
import { List } from '../ui/state/list.tsx'
import { Pages } from '../ui/state/pages.tsx'
import { BulkBar } from '../ui/table/bulk-bar.tsx'
import { useSelection } from '../ui/table/selection.ts'
import { ClipRow } from './clip-row.tsx'
import { type Clip, families } from './family.ts'
import { usePreview } from './preview.ts'
import { useSoundsTexts } from './sounds-context.ts'

/** The clips of a kind, newest first: found by name, narrowed to a programme, page by page. */
export function ClipList({ family }: { family: ClipFamily }) {
  const t = useSoundsTexts()
  const [search, setSearch] = useUrlState('q')
  const [mode, setMode] = useUrlState('mode')
  const [offset, setOffset] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  useKeys(t.title, [{ key: '/', label: t.keyFind, run: () => field.current?.focus() }])
  const limit = families[family].perPage
  const clips = useQuery(`GET /api/admin/${family}`, { query: { search, mode, offset, limit } })
  const isNarrowed = Boolean(search || mode)
  return (
    <section class="clips">
      <div class="clips-head">
        <SearchField
          label={t.search}
          value={search}
          field={field}
          onValue={(text) => {
            setOffset(0)
            setSearch(text, { replace: true })
          }}
        />
        <select
          aria-label={t.filter}
          value={mode}
          onChange={({ currentTarget }) => {
            setOffset(0)
            setMode(currentTarget.value, { replace: true })
          }}
        >
          <option value="">{t.both}</option>
          <option value="day">{t.day}</option>
          <option value="night">{t.night}</option>
        </select>
      </div>
      <List
        state={clips}
        isEmpty={({ items }) => items.length === 0}
        empty={<p>{isNarrowed ? t.nothingFound : t.empty[family]}</p>}
      >
        {({ items, total }) => (
          <>
            <Rows family={family} clips={items} />
            <Pages offset={offset} page={limit} shown={items.length} total={total} onTurn={setOffset} />
          </>
        )}
      </List>
    </section>
  )
}

function Rows({ family, clips }: { family: ClipFamily; clips: readonly Clip[] }) {
  const preview = usePreview()
  const selection = useSelection(clips.map(({ id }) => id))
  return (
    <>
      <ul class="clip-rows">
        {clips.map((clip) => (
          <ClipRow key={clip.id} family={family} clip={clip} preview={preview} selection={selection} />
        ))}
      </ul>
      <Chosen family={family} clips={clips.filter(({ id }) => selection.ids.has(id))} selection={selection} />
    </>
  )
}

/** Actions on the chosen clips. */
function Chosen(props: {
  family: ClipFamily
  clips: readonly Clip[]
  selection: ReturnType<typeof useSelection>
}) {
  const { family, clips, selection } = props
  const t = useSoundsTexts()
  const toasts = useToasts()
  const silent: CommandOptions<unknown> = { success: '', outdates: [`/api/admin/${family}`] }
  const moving = useCommand(`POST /api/admin/${family}/batch-move`, silent)
  const deleting = useCommand(`POST /api/admin/${family}/batch-delete`, silent)
  const say = (results: readonly { ok: boolean }[], done: (count: number) => string) => {
    const fine = results.filter(({ ok }) => ok).length
    const failed = results.length - fine
    const text = [fine && done(fine), failed && t.refused(failed)].filter(Boolean).join(' · ')
    toasts.show({ is: failed ? 'failed' : 'done', text })
    selection.clear()
  }
  const move = async (targetMode: Mode) => {
    const ids = clips.filter(({ mode }) => mode !== targetMode).map(({ id }) => id)
    const reply = await moving.run({ body: { ids, targetMode } })
    if (reply) say(reply.results, t.moved)
  }
  const remove = async () => {
    const reply = await deleting.run({ body: { ids: clips.map(({ id }) => id) } })
    if (reply) say(reply.results, t.deleted)
  }
  return (
    <BulkBar selection={selection}>
      {(['day', 'night'] as const).map(
        (mode) =>
          clips.some((clip) => clip.mode !== mode) && (
            <button
              key={mode}
              type="button"
              class="button"
              aria-disabled={moving.isBusy}
              onClick={() => void move(mode)}
            >
              {t.moveTo[mode]}
            </button>
          ),
      )}
      <Confirm
        label={t.delete}
        sure={t.sureDelete(clips.length)}
        yes={t.delete}
        no={t.no}
        onYes={() => void remove()}
      />
    </BulkBar>
  )
}
