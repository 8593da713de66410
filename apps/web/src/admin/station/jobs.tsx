import type { JobState, QueueReport } from '@solstice/contracts'
import { useEffect } from 'preact/hooks'
import { useCommand } from '../data/commands.ts'
import { useUrlState } from '../data/location.ts'
import { useAdmin, usePanel } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { zoneTime } from '../shell/time.ts'
import { Choice } from '../ui/fields/choice.tsx'
import { Badge } from '../ui/state/badge.tsx'
import { List } from '../ui/state/list.tsx'
import { useStationTexts } from './texts.ts'

const PATH = '/api/admin/jobs'
const LOOK_MS = 5_000
const MOST = 50
const states = ['failed', 'active', 'waiting', 'delayed', 'completed'] as const

/** Jobs in the background: running, failed, recurring. */
export function Jobs() {
  const t = useStationTexts()
  const { connection, queries } = usePanel()
  const [chosen, choose] = useUrlState('state')
  const state = states.find((known) => known === chosen) as JobState | undefined
  const jobs = useQuery(`GET ${PATH}`, { query: { limit: MOST, ...(state && { state }) } })
  useEffect(() => {
    const look = () => queries.invalidate(PATH)
    const timer = setInterval(look, LOOK_MS)
    const end = connection.on('job_progress', look)
    return () => {
      clearInterval(timer)
      end()
    }
  }, [connection, queries])
  return (
    <>
      <div class="station-tools">
        <Choice
          legend={t.jobState}
          isLegendUnseen
          options={[{ id: '', title: t.anyState }, ...states.map((id) => ({ id, title: t.jobStates[id] }))]}
          chosen={state ?? ''}
          onChoose={(id) => choose(id, { replace: true })}
        />
      </div>
      <List state={jobs}>
        {({ queues }) => (
          <>
            {!queues.some(isWorthASight) && <p class="state">{t.jobsEmpty}</p>}
            {queues.filter(isWorthASight).map((queue) => (
              <Queue key={queue.name} queue={queue} />
            ))}
          </>
        )}
      </List>
    </>
  )
}

const isWorthASight = ({ jobs, recurrences }: QueueReport) => jobs.length > 0 || recurrences.length > 0

function Queue({ queue }: { queue: QueueReport }) {
  const t = useStationTexts()
  const { config } = useAdmin()
  const { name, counts, jobs, recurrences } = queue
  const when = (atMs: number) => zoneTime(atMs, config.timeZone)
  return (
    <section class="jobs">
      <h2>{name}</h2>
      <p class="hint">{t.jobCounts(counts.failed, counts.active, counts.waiting + counts.delayed)}</p>
      <ul>
        {jobs.map((job) => (
          <li key={job.id} class="job">
            <span class="job-what">
              <b>{job.name}</b>
              <Badge tone={job.state === 'failed' ? 'warning' : 'plain'}>{t.jobStates[job.state]}</Badge>
              {job.progress && job.progress.total > 0 && (
                <span class="hint">
                  {job.progress.done} / {job.progress.total}
                </span>
              )}
            </span>
            <span class="hint">
              {when(job.finishedAt ?? job.startedAt ?? job.createdAt)}
              {job.attempts > 1 && ` · ${t.attempts(job.attempts)}`}
            </span>
            {job.failedReason && <span class="job-reason">{job.failedReason}</span>}
            {job.state === 'failed' && <Retry queue={name} id={job.id} name={job.name} />}
          </li>
        ))}
      </ul>
      {recurrences.length > 0 && (
        <details class="jobs-recurring">
          <summary>{t.recurring}</summary>
          <ul>
            {recurrences.map((recurring) => (
              <li key={recurring.name}>
                <span>{recurring.name}</span>
                <span class="hint">
                  {recurring.pattern ?? t.everySeconds((recurring.everyMs ?? 0) / 1000)}
                </span>
                <span class="hint">{recurring.nextAt ? t.nextAt(when(recurring.nextAt)) : ''}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function Retry({ queue, id, name }: { queue: string; id: string; name: string }) {
  const t = useStationTexts()
  const { run, isBusy } = useCommand(`POST ${PATH}/:queue/:id/retry`, {
    outdates: [PATH],
    success: t.retried(name),
  })
  return (
    <button
      type="button"
      class="button"
      aria-label={`${t.retryJob}: ${name}`}
      aria-disabled={isBusy}
      onClick={() => void run({ params: { queue, id } })}
    >
      {t.retryJob}
    </button>
  )
}
