import './history.css'
import { useUrlState } from '../data/location.ts'
import { useAdmin } from '../data/panel.ts'
import { Tabs } from '../ui/fields/tabs.tsx'
import { Guarded } from '../ui/layers/guarded.tsx'
import { AuditLog } from './audit-log.tsx'
import { PlayHistory } from './play-history.tsx'
import { Statistics } from './statistics.tsx'
import { useHistoryTexts } from './texts.ts'

const tabs = [
  { id: 'plays', rule: { allOf: ['stats'], capabilities: ['history'] }, Content: PlayHistory },
  { id: 'statistics', rule: { allOf: ['stats'] }, Content: Statistics },
  { id: 'audit', rule: { capabilities: ['auditLog'] }, Content: AuditLog },
] as const

/** Tracks that were on air, statistics of the library, and the audit log. */
export function HistoryPart() {
  const t = useHistoryTexts()
  const { verdict } = useAdmin()
  const [chosen, choose] = useUrlState('tab', 'plays')
  const shown = tabs.filter(({ rule }) => verdict(rule).is !== 'hidden')
  const tab = shown.find(({ id }) => id === chosen) ?? shown[0]
  if (!tab) return <h1>{t.title}</h1>
  const isOpen = verdict(tab.rule).is === 'open'
  return (
    <div class="history-part">
      <h1 class="unseen">{t.title}</h1>
      <Tabs
        label={t.title}
        tabs={shown.map(({ id }) => ({ id, title: t[id] }))}
        chosen={tab.id}
        onChoose={(id) => choose(id)}
      >
        <Guarded rule={tab.rule}>{isOpen && <tab.Content key={tab.id} />}</Guarded>
      </Tabs>
    </div>
  )
}
