import { useEffect, useRef, useState } from 'preact/hooks'
import { failureText } from '../data/client.ts'
import { usePanel } from '../data/panel.ts'
import { chosenAfter, type Selection } from '../ui/table/selection.ts'
import type { Tracks } from './use-tracks.ts'

/** As many as a batch may have. */
const MOST = 20_000

export interface ChosenTracks extends Selection {
  /** The ids between two rows are being asked for. */
  isAsking: boolean
  /** Chooses just these. */
  set(ids: Iterable<string>): void
}

/** The chosen tracks of a filter, also of rows that are not loaded; another filter chooses none. */
export function useChosenTracks({ rows, idsOf }: Tracks, filterKey: string): ChosenTracks {
  const { toasts, locale } = usePanel()
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const [isAsking, setAsking] = useState(false)
  const anchor = useRef<string | null>(null)
  const asked = useRef(0)
  useEffect(() => {
    asked.current++
    anchor.current = null
    setIds((known) => (known.size ? new Set() : known))
  }, [filterKey])
  const positionOf = (id: string | null) => (id === null ? -1 : rows.findIndex((row) => row?.id === id))

  /** Chooses rows by their positions. */
  const chooseRows = async (first: number, end: number, kept: Iterable<string>) => {
    const mine = ++asked.current
    const known = idsOf(first, Math.min(end, first + MOST))
    if (Array.isArray(known)) return setIds(new Set([...kept, ...known]))
    setAsking(true)
    try {
      const found = await known
      if (mine === asked.current) setIds(new Set([...kept, ...found]))
    } catch (error) {
      toasts.show({ is: 'failed', text: failureText(error, locale) })
    } finally {
      setAsking(false)
    }
  }

  return {
    ids,
    isAsking,
    choose(id, { range = false, more = false } = {}) {
      const from = positionOf(anchor.current)
      const to = positionOf(id)
      if (range && from >= 0 && to >= 0)
        return void chooseRows(Math.min(from, to), Math.max(from, to) + 1, more ? ids : [])
      setIds(chosenAfter([], ids, null, id, { range: false, more: more || range }))
      anchor.current = id
    },
    chooseAll: () => void chooseRows(0, rows.length, []),
    clear: () => setIds(new Set()),
    set: (next) => setIds(new Set(next)),
  }
}
