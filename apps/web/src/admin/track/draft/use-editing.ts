import { useEffect, useState } from 'preact/hooks'
import { begin, type Draft, type Editing, isChanged, withStored } from './draft.ts'

/** Changes that are not saved, by track: a drawer that is closed and opened again has them still. */
const kept = new Map<string, Editing>()

/** The editing of a track; null until the station has told what it has. */
export function useEditing(
  id: string,
  stored: Draft | null,
): { editing: Editing | null; change: (next: (editing: Editing) => Editing) => void } {
  const [editing, setEditing] = useState(() => kept.get(id) ?? null)
  const set = (next: Editing) => {
    if (isChanged(next)) kept.set(id, next)
    else kept.delete(id)
    setEditing(next)
  }
  useEffect(() => {
    if (!stored) return
    const known = kept.get(id) ?? editing
    set(known ? withStored(known, stored) : begin(stored))
  }, [stored, id])
  useEffect(() => {
    if (!editing || !isChanged(editing)) return
    const warn = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [editing])
  return {
    editing,
    change: (next) =>
      setEditing((now) => {
        if (!now) return now
        const changed = next(now)
        if (isChanged(changed)) kept.set(id, changed)
        else kept.delete(id)
        return changed
      }),
  }
}
