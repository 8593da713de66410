import './history.css'
import { PartTabs } from '../ui/part-tabs.tsx'
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
  return (
    <div class="history-part">
      <h1 class="unseen">{t.title}</h1>
      <PartTabs label={t.title} tabs={tabs} titles={t} />
    </div>
  )
}
