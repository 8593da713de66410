import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useKeys } from '../data/keys.ts'
import { useUrlState } from '../data/location.ts'
import { SearchField } from '../ui/fields/search-field.tsx'
import { ExportDrawer, type ExportSet } from './export-drawer.tsx'
import { useHistoryTexts } from './texts.ts'

/**
 * A search that stands in the address, filters, and an export of what is shown, with their keys.
 *
 * @param props.name begins the name of the exported file.
 * @param props.sets is called when the export opens.
 */
export function SearchAndExport(props: {
  label: string
  name: string
  sets: () => readonly ExportSet[]
  children: ComponentChildren
}) {
  const { label, name, sets, children } = props
  const t = useHistoryTexts()
  const [query, setQuery] = useUrlState('q')
  const [isExporting, setExporting] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useKeys(t.title, [
    { key: '/', label: t.keySearch, run: () => field.current?.focus() },
    { key: 'e', label: t.keyExport, run: () => setExporting(true) },
  ])
  return (
    <>
      <div class="history-tools">
        <SearchField
          label={label}
          value={query}
          onValue={(value) => setQuery(value, { replace: true })}
          field={field}
        />
        {children}
        <button type="button" class="button" onClick={() => setExporting(true)}>
          {t.export}
        </button>
      </div>
      {isExporting && <ExportDrawer name={name} sets={sets()} onClose={() => setExporting(false)} />}
    </>
  )
}
