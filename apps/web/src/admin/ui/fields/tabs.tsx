import './fields.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

const NEIGHBOUR_PX = 56

export interface Tab {
  id: string
  title: string
  /** Beside the title, such as how many wait there. */
  count?: number
}

/** Tabs and the content of the chosen one; arrows move between them. */
export function Tabs(props: {
  label: string
  tabs: readonly Tab[]
  chosen: string
  onChoose: (id: string) => void
  children: ComponentChildren
}) {
  const { label, tabs, chosen, onChoose, children } = props
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected=true]')
    if (tab) showWhole(list.current!, tab)
  }, [chosen])
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!step) return
    event.preventDefault()
    const at = tabs.findIndex((tab) => tab.id === chosen)
    const next = tabs[(at + step + tabs.length) % tabs.length]!
    onChoose(next.id)
    document.getElementById(`${id}-${next.id}`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${id}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-content`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.title}
            {tab.count ? <span class="tab-count">{tab.count}</span> : null}
          </button>
        ))}
      </div>
      <div id={`${id}-content`} role="tabpanel" aria-labelledby={`${id}-${chosen}`} tabIndex={-1}>
        {children}
      </div>
    </>
  )
}

/** Scrolls a row of tabs so far that this one and the beginning of its neighbours are seen. */
function showWhole(row: HTMLElement, tab: HTMLElement): void {
  const [start, end] = [tab.offsetLeft - row.offsetLeft, tab.offsetLeft - row.offsetLeft + tab.offsetWidth]
  if (start < row.scrollLeft + NEIGHBOUR_PX) row.scrollLeft = start - NEIGHBOUR_PX
  else if (end > row.scrollLeft + row.clientWidth - NEIGHBOUR_PX)
    row.scrollLeft = end - row.clientWidth + NEIGHBOUR_PX
}
