// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a list box that a combobox moves through
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays in the combobox
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Sheet } from '../../../ui/sheet/sheet.tsx'
import { useStore } from '../../../ui/store.ts'
import { findItems, type PaletteItem, paletteSources } from '../../data/palette.ts'
import { useTexts } from '../../data/panel.ts'
import { useHelperItems, usePlaceItems, useTrackItems } from './palette-items.ts'

const MOST = 12
/** What isn't a track leaves this much room for tracks. */
const MOST_KNOWN = 8

/** Finds a part, a setting, a helper, an artist, a track or an action by its name, and goes there or does it. */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useTexts()
  const id = useId()
  const sources = useStore(paletteSources)
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const songs = useTrackItems(query, MOST)
  const places = usePlaceItems()
  const helpers = useHelperItems()
  const list = useRef<HTMLUListElement>(null)
  const offered = [...sources.flatMap((source) => source()), ...(query.trim() ? [...places, ...helpers] : [])]
  const known = findItems(offered, query, songs.length ? MOST_KNOWN : MOST)
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
