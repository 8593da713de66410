import type { AuditEntry } from '@solstice/contracts'
import { useAdmin, useTexts } from '../data/panel.ts'
import { operationTexts } from './audit-texts.ts'
import { dayOf, timeOf } from './moments.ts'
import { useHistoryTexts } from './texts.ts'

/** One entry: when, who, what; before and after when something was changed. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
  const t = useHistoryTexts()
  const { locale, config } = useAdmin()
  const show = useValueText()
  const { createdAt, adminLogin, operationType, data } = entry
  const { details, ...about } = data
  const names: Partial<Record<string, string>> = operationTexts[locale]
  const subject = subjectOf(about)
  const said = new Set([...SUBJECTS, 'targetAdminId', ...(details ? ['privileges'] : [])])
  const rest = Object.entries({ ...about, ...details?.info }).filter(([name]) => !said.has(name))
  const changes = details?.changes ?? []
  const what = (
    <span class="audit-what">
      {names[operationType] ?? operationType.replaceAll('_', ' ')}
      {subject && (
        <>
          : <b>{subject}</b>
        </>
      )}
    </span>
  )
  return (
    <li class="audit-row">
      <time dateTime={new Date(createdAt).toISOString()}>
        <span class="soft">{dayOf(createdAt, locale, config.timeZone)}</span>{' '}
        {timeOf(createdAt, locale, config.timeZone)}
      </time>
      <b class="audit-who">{adminLogin}</b>
      {changes.length === 0 && rest.length === 0 ? (
        what
      ) : (
        <details class="audit-details">
          <summary>
            {what}
            <span class="audit-more">{t.details}</span>
          </summary>
          {changes.length > 0 && <Changes changes={changes} />}
          {rest.length > 0 && (
            <dl>
              {rest.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{show(value, name)}</dd>
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
  const show = useValueText()
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
              <del>{show(before)}</del>
            </td>
            <td>
              <ins>{show(after)}</ins>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The facts of an entry, in the order in which they are said. */
const SUBJECTS = ['title', 'artist', 'filename', 'name', 'login', 'newLogin', 'nickname', 'targetMode']

const subjectOf = (about: Record<string, unknown>): string =>
  SUBJECTS.map((name) => about[name])
    .filter((value) => typeof value === 'string' && value !== '')
    .join(' — ')

/** How a value of an entry reads: rights by their names, moments as the station's time, nothing as a word. */
function useValueText(): (value: unknown, name?: string) => string {
  const t = useHistoryTexts()
  const { privileges } = useTexts()
  const { locale, config } = useAdmin()
  const names: Partial<Record<string, string>> = privileges
  const show = (value: unknown, name = ''): string => {
    if (value === null || value === undefined || value === '') return t.nothing
    if (typeof value === 'boolean') return value ? t.yes : t.no
    if (Array.isArray(value)) return value.length ? value.map((one) => show(one)).join(', ') : t.nothing
    if (typeof value === 'number' && name.endsWith('At')) return timeOf(value, locale, config.timeZone)
    if (typeof value === 'object') return JSON.stringify(value)
    return names[String(value)] ?? String(value)
  }
  return show
}
