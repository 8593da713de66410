import type { Mode } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { useToasts } from '../data/panel.ts'
import { Choice } from '../ui/fields/choice.tsx'
import { Drawer } from '../ui/layers/drawer.tsx'
import { type ExportField, type Format, fileOf, formats, type Sheet, saveFile, sheetOf } from './exports.ts'
import { useHistoryTexts } from './texts.ts'

const MODES = ['day', 'night'] as const

/** Rows that can be exported, whatever they are. */
export interface ExportSet {
  id: string
  title: string
  fields: readonly { id: string; title: string }[]
  hasModes: boolean
  sheet(fields: ReadonlySet<string>, modes: ReadonlySet<Mode>): Sheet
}

/** @param modeOf the mode of a row, by which rows can be left out. */
export function exportSet<T>(
  id: string,
  title: string,
  rows: readonly T[],
  fields: readonly ExportField<T>[],
  modeOf?: (row: T) => Mode,
): ExportSet {
  return {
    id,
    title,
    fields,
    hasModes: modeOf !== undefined,
    sheet: (wanted, modes) =>
      sheetOf(
        modeOf ? rows.filter((row) => modes.has(modeOf(row))) : rows,
        fields.filter((field) => wanted.has(field.id)),
      ),
  }
}

/** The choice of content and format for a file, which is made here and never leaves this computer. */
export function ExportDrawer(props: { name: string; sets: readonly ExportSet[]; onClose: () => void }) {
  const { name, sets, onClose } = props
  const t = useHistoryTexts()
  const toasts = useToasts()
  const [set, setSet] = useState(sets[0]!)
  const [format, setFormat] = useState<Format>('xlsx')
  const [without, setWithout] = useState<ReadonlySet<string>>(new Set())
  const [modes, setModes] = useState<ReadonlySet<Mode>>(new Set(MODES))
  const fields = new Set(set.fields.map(({ id }) => id).filter((id) => !without.has(id)))
  const sheet = set.sheet(fields, modes)
  const isEmpty = !fields.size || (set.hasModes && !modes.size)
  const download = async () => {
    if (isEmpty) return
    try {
      const { blob, extension } = await fileOf(sheet, format)
      saveFile(blob, `${name}-${new Date().toISOString().slice(0, 10)}.${extension}`)
    } catch {
      toasts.show({ is: 'failed', text: t.failed })
    }
  }
  const actions = (
    <>
      <button type="button" class="button primary" aria-disabled={isEmpty} onClick={download}>
        {t.download}
      </button>
      <span class="hint" role="status">
        {isEmpty ? t.exportNothing : t.exportRows(sheet.rows.length)}
      </span>
    </>
  )
  return (
    <Drawer title={t.export} onClose={onClose} actions={actions}>
      <Choice
        legend={t.exportAs}
        options={formats.map((id) => ({ id, title: t.formats[id] }))}
        chosen={format}
        onChoose={(id) => setFormat(id as Format)}
      />
      {sets.length > 1 && (
        <Choice
          legend={t.exportWhat}
          options={sets}
          chosen={set.id}
          onChoose={(id) => setSet(sets.find((other) => other.id === id)!)}
        />
      )}
      <Checks
        legend={t.exportFields}
        options={set.fields}
        chosen={fields}
        onToggle={(id) => setWithout(toggled(without, id))}
      />
      {set.hasModes && (
        <Checks
          legend={t.exportModes}
          options={MODES.map((id) => ({ id, title: t[id] }))}
          chosen={modes}
          onToggle={(id) => setModes(toggled(modes, id as Mode))}
        />
      )}
    </Drawer>
  )
}

function toggled<T>(known: ReadonlySet<T>, one: T): Set<T> {
  const next = new Set(known)
  if (!next.delete(one)) next.add(one)
  return next
}

function Checks(props: {
  legend: string
  options: readonly { id: string; title: string }[]
  chosen: ReadonlySet<string>
  onToggle: (id: string) => void
}) {
  const { legend, options, chosen, onToggle } = props
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {options.map(({ id, title }) => (
        <label key={id}>
          <input type="checkbox" checked={chosen.has(id)} onChange={() => onToggle(id)} />
          {title}
        </label>
      ))}
    </fieldset>
  )
}
