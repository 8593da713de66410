import './board.css'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useToasts } from '../../data/panel.ts'
import { SearchField } from '../../ui/fields/search-field.tsx'
import { usePhone } from '../../ui/table/use-phone.ts'
import { useProgrammeTexts } from '../texts.ts'
import { addGroup, type GroupDefs, groupNaming, removeGroup, renameGroup, shiftGroup } from './board.ts'
import { Column, type GroupHeader } from './column.tsx'
import { useCarrying } from './use-carrying.ts'

interface Props {
  defs: GroupDefs
  /** Tracks by group, as the station counts them. */
  counts: Record<string, number>
  /** Tracks that each artist brings to a group; null until the station told. */
  artistSongs: Readonly<Record<string, number>> | null
  /** Artists that no group names; null until the station told. */
  unassigned: readonly string[] | null
  isCounting: boolean
  canEdit: boolean
  onDefs: (defs: GroupDefs) => void
}

/** Groups as columns, artists as cards. */
export function GroupsBoard(props: Props) {
  const { defs, counts, artistSongs, unassigned, isCounting, canEdit, onDefs } = props
  const t = useProgrammeTexts()
  const isPhone = usePhone()
  const board = useRef<HTMLDivElement>(null)
  const [query, setQuery] = useState('')
  const count = (artist: string) => artistSongs?.[artist] ?? artistSongs?.[artist.trim()] ?? null
  const loose = useLoose(defs, unassigned)
  const names = Object.keys(defs)
  const last = names.at(-1)
  const lists = new Map<string | null, string[]>([[null, loose], ...Object.entries(defs)])
  const matching = (artists: readonly string[]) =>
    artists.filter((artist) => artist.toLowerCase().includes(query.trim().toLowerCase()))
  const carrying = useCarrying({ board, defs, onDefs, isOn: canEdit })
  const headers = useHeaders(props, board)
  const mostSongs = Math.max(1, ...names.map((name) => counts[name] ?? 0))

  return (
    <>
      <p class="hint">{isPhone ? t.boardHintTouch : t.boardHint}</p>
      <div class="board-tools">
        <SearchField label={t.findArtist} value={query} onValue={setQuery} />
        <button
          type="button"
          class="button"
          onClick={() => {
            const [next, name] = addGroup(defs, t.groupNumber)
            onDefs(next)
            headers.focusSoon(name)
          }}
        >
          {t.addGroup}
        </button>
      </div>
      {!names.length && <p class="board-empty">{t.noGroups}</p>}
      <div class="board" ref={board} data-counting={isCounting} data-carrying={carrying.held !== null}>
        {[...lists].map(([name, artists], place) => (
          <Column
            key={name === null ? 'loose' : `group ${name}`}
            name={name}
            artists={matching(artists)}
            count={count}
            songs={name === null ? null : (counts[name] ?? 0)}
            part={name === null ? 0 : (counts[name] ?? 0) / mostSongs}
            note={name === null ? (last ? t.unassignedHint(last) : '') : name === last ? t.everyone : ''}
            carrying={carrying}
            header={name === null ? null : headers.of(name)}
            isOver={carrying.over === place}
            isLoading={name === null && unassigned === null}
          />
        ))}
      </div>
      <p class="unseen" role="status">
        {carrying.said}
      </p>
    </>
  )
}

/** Artists without a group: those the station names, and those that were just taken out of one. */
function useLoose(defs: GroupDefs, unassigned: readonly string[] | null): string[] {
  const [freed, setFreed] = useState<ReadonlySet<string>>(new Set())
  const before = useRef(defs)
  useEffect(() => {
    const gone = Object.values(before.current)
      .flat()
      .filter((artist) => groupNaming(defs, artist) === null)
    before.current = defs
    if (gone.length) setFreed((known) => new Set([...known, ...gone]))
  }, [defs])
  const gone = Object.values(before.current).flat()
  const all = new Map(
    [...(unassigned ?? []), ...freed, ...gone].map((artist) => [artist.toLowerCase(), artist]),
  )
  const { compare } = new Intl.Collator(['uk', 'en'], { numeric: true })
  return [...all.values()].filter((artist) => groupNaming(defs, artist) === null).sort(compare)
}

/** Names, places and removal of groups. */
function useHeaders({ defs, onDefs, canEdit }: Props, board: { current: HTMLElement | null }) {
  const t = useProgrammeTexts()
  const toasts = useToasts()
  const focused = useRef<string | null>(null)
  useLayoutEffect(() => {
    if (focused.current === null) return
    const fields = board.current?.querySelectorAll<HTMLInputElement>('.group-name') ?? []
    const field = [...fields].find(({ value }) => value === focused.current)
    if (!field) return
    focused.current = null
    field.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    field.select()
  })
  const rename = (name: string, field: HTMLInputElement) => {
    if (field.value === name) return
    const next = renameGroup(defs, name, field.value)
    if (next) return onDefs(next)
    field.value = name
    toasts.show({ is: 'failed', text: t.nameRefused })
  }
  const names = Object.keys(defs)
  return {
    focusSoon: (name: string) => {
      focused.current = name
    },
    of: (name: string): GroupHeader => ({
      canEdit,
      isFirst: name === names[0],
      isLast: name === names.at(-1),
      rename: (field: HTMLInputElement) => rename(name, field),
      shift: (by: -1 | 1) => onDefs(shiftGroup(defs, name, by)),
      remove: () => onDefs(removeGroup(defs, name)),
    }),
  }
}
