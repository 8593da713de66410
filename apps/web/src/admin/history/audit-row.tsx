import type { AuditEntry } from '@solstice/contracts'
import { useAdmin } from '../data/panel.ts'
import { operationTexts } from './audit-texts.ts'
import { dayOf, timeOf } from './moments.ts'
import { type HistoryTexts, useHistoryTexts } from './texts.ts'

/** One entry: when, who, what; before and after when something was changed. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
  const t = useHistoryTexts()
  const { locale, config } = useAdmin()
  const { createdAt, adminLogin, operationType, data } = entry
  const { details, ...about } = data
  const names: Partial<Record<string, string>> = operationTexts[locale]
  const subject = subjectOf(about)
  const rest = Object.entries({ ...about, ...details?.info }).filter(
    ([name]) => !SUBJECTS.includes(name) && name !== 'details',
  )
  const changes = details?.changes ?? []
  return (
    <li class="audit-row">
      <time dateTime={new Date(createdAt).toISOString()}>
        <span class="soft">{dayOf(createdAt, locale, config.timeZone)}</span>{' '}
        {timeOf(createdAt, locale, config.timeZone)}
      </time>
      <b class="audit-who">{adminLogin}</b>
      <span class="audit-what">
        {names[operationType] ?? operationType.replaceAll('_', ' ')}
        {subject && <b> {subject}</b>}
      </span>
      {(changes.length > 0 || rest.length > 0) && (
        <details class="audit-details">
          <summary>{t.details}</summary>
          {changes.length > 0 && <Changes changes={changes} />}
          {rest.length > 0 && (
            <dl>
              {rest.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{valueText(value, t)}</dd>
                </div>
              ))}
            </dl>
          )}
        </details>
      )}
    </li>
  )
}

type Change = NonNullable<AuditEntry['data']['details']>['changes'][number]

function Changes({ changes }: { changes: readonly Change[] }) {
  const t = useHistoryTexts()
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">{t.field}</th>
          <th scope="col">{t.before}</th>
          <th scope="col">{t.after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after }) => (
          <tr key={field}>
            <th scope="row">{field}</th>
            <td>
              <del>{valueText(before, t)}</del>
            </td>
            <td>
              <ins>{valueText(after, t)}</ins>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** What an entry is about, in the order in which it is said. */
const SUBJECTS = ['title', 'artist', 'filename', 'name', 'login', 'newLogin', 'nickname', 'targetMode']

const subjectOf = (about: Record<string, unknown>): string =>
  SUBJECTS.map((name) => about[name])
    .filter((value) => typeof value === 'string' && value !== '')
    .join(' — ')

function valueText(value: unknown, t: HistoryTexts): string {
  if (value === null || value === undefined || value === '') return t.nothing
  if (typeof value === 'boolean') return value ? t.yes : t.no
  if (Array.isArray(value)) return value.length ? value.map((one) => valueText(one, t)).join(', ') : t.nothing
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
