import { type AuditCategory, auditCategories, isOfCategory } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { useUrlState } from '../data/location.ts'
import { usePanel, useStation } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Choice } from '../ui/fields/choice.tsx'
import { List } from '../ui/state/list.tsx'
import { Pages } from '../ui/state/pages.tsx'
import { AuditRow } from './audit-row.tsx'
import { useHistoryTexts } from './texts.ts'

const PAGE = 30
const categories = Object.keys(auditCategories) as AuditCategory[]

/** The audit log, the newest first. New entries wait behind a button, so that nothing moves while somebody reads. */
export function AuditLog() {
  const t = useHistoryTexts()
  const { queries } = usePanel()
  const [window, setWindow] = useUrlState('window', '24h')
  const [chosen, setCategory] = useUrlState('category')
  const [at, setAt] = useUrlState('from')
  const category = categories.find((known) => known === chosen)
  const offset = Math.max(0, Math.floor(Number(at)) || 0)
  const log = useQuery('GET /api/admin/audit', {
    query: { window, limit: PAGE, offset, ...(category && { category }) },
  })
  const { count, forget } = useNewEntries(category)
  useEffect(forget, [category, window])
  const how = { replace: true }
  const turn = (next: number) => {
    setAt(next > 0 ? String(next) : '')
    scrollTo(0, 0)
  }
  return (
    <>
      <div class="history-tools">
        <Choice
          legend={t.window}
          isLegendUnseen
          options={(['1h', '6h', '24h', '7d'] as const).map((id) => ({ id, title: t.windows[id] }))}
          chosen={window}
          onChoose={(id) => {
            setAt('', how)
            setWindow(id, how)
          }}
        />
        <label class="history-about">
          <span>{t.category}</span>
          <select
            value={category ?? ''}
            onChange={({ currentTarget }) => {
              setAt('', how)
              setCategory(currentTarget.value, how)
            }}
          >
            <option value="">{t.anyCategory}</option>
            {categories.map((id) => (
              <option key={id} value={id}>
                {t.categories[id]}
              </option>
            ))}
          </select>
        </label>
        <span role="status">
          {count > 0 && (
            <button
              type="button"
              class="button primary"
              onClick={() => {
                forget()
                queries.invalidate('/api/admin/audit')
                turn(0)
              }}
            >
              {t.newEntries(count)}
            </button>
          )}
        </span>
      </div>
      <List state={log} rows={12} isEmpty={({ total }) => !total} empty={<p>{t.auditEmpty}</p>}>
        {({ entries, total }) => (
          <>
            <ol class="audit" aria-label={t.audit}>
              {entries.map((entry) => (
                <AuditRow key={entry.id} entry={entry} />
              ))}
            </ol>
            <Pages {...{ offset, total, page: PAGE, shown: entries.length }} onTurn={turn} />
          </>
        )}
      </List>
    </>
  )
}

/** How many entries of a category were written since they were last forgotten. */
function useNewEntries(category: AuditCategory | undefined) {
  const station = useStation()
  const [count, setCount] = useState(0)
  useEffect(
    () =>
      station.on('audit_new_entry', ({ operationType }) => {
        if (!category || isOfCategory(operationType, category)) setCount((known) => known + 1)
      }),
    [station, category],
  )
  return { count, forget: () => setCount(0) }
}
