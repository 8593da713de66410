// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a list box that a combobox moves through
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays in the combobox
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Sheet } from '../../ui/sheet/sheet.tsx'
import { useStore } from '../../ui/store.ts'
import { useFoundTracks } from '../data/found-tracks.ts'
import { hrefOf, navigate } from '../data/location.ts'
import { findItems, type PaletteItem, paletteSources, startingFirst } from '../data/palette.ts'
import { useAdmin, useAir, useStation, useTexts } from '../data/panel.ts'
import { parts } from '../parts.ts'

const MOST = 12
/** Tracks are offered once this much was typed. */
const SONG_FROM = 2
/** Those whose titles begin with the query are put first among so many. */
const LOOKED_AT = 50

/** Finds a part, a track or an action by its name, and goes there or does it. */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useTexts()
  const id = useId()
  const sources = useStore(paletteSources)
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const songs = useTrackItems(query)
  const list = useRef<HTMLUListElement>(null)
  const known = findItems(
    sources.flatMap((source) => source()),
    query,
    MOST,
  )
  const found = [...known, ...songs].slice(0, MOST)
  const at = Math.min(chosen, found.length - 1)
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const run = (item: PaletteItem | undefined) => {
    if (!item) return
    document.querySelector<HTMLDialogElement>('dialog.palette')?.close()
    item.run()
  }
  return (
    <Sheet class="palette" label={t.palette} onClose={onClose}>
      <input
        role="combobox"
        aria-label={t.palette}
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length ? `${id}-${at}` : undefined}
        placeholder={t.paletteHint}
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
          if (step && found.length) setChosen((at + step + found.length) % found.length)
          else if (event.key === 'Enter') run(found[at])
          else return
          event.preventDefault()
        }}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={t.palette} ref={list}>
        {found.map((item, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keys
          <li
            key={item.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            onClick={() => run(item)}
          >
            <span>{item.title}</span>
            <small>{item.about}</small>
          </li>
        ))}
      </ul>
      {!found.length && (
        <p class="palette-nothing" role="status">
          {t.paletteNothing}
        </p>
      )}
    </Sheet>
  )
}

/** Tracks of the mode on air: Enter queues them, or opens them for those who may not. */
function useTrackItems(query: string): PaletteItem[] {
  const { may } = useAdmin()
  const station = useStation()
  const t = useTexts()
  const mode = useAir()?.mode
  const state = useFoundTracks(query.length >= SONG_FROM ? query : '', mode, LOOKED_AT)
  if (state.is !== 'ready') return []
  const mayQueue = may({ allOf: ['queue_manage'] })
  const hasLibrary = parts.some(({ id }) => id === ('library' as string))
  if (!mayQueue && !hasLibrary) return []
  const items = state.data.items.map(({ id, title, artist }) => ({
    id,
    title: `${title} — ${artist}`,
    about: mayQueue ? t.paletteSong : t.paletteOpenSong,
    run: () =>
      mayQueue
        ? station.send('admin_add_song', { id, orderType: 'lastinline' })
        : navigate(hrefOf('library', { sel: id })),
  }))
  return startingFirst(items, query).slice(0, MOST)
}
