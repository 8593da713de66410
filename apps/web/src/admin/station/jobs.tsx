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
import { countsOf, inOrder, type Runs, viewOf } from './job-runs.ts'
import { useStationTexts } from './texts.ts'

const PATH = '/api/admin/jobs'
const LOOK_MS = 5_000
const MOST = 50
const states = ['failed', 'active', 'waiting', 'delayed', 'completed'] as const

/** Jobs in the background: running, failed, asked for; recurring ones folded. */
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
            {inOrder(queues.filter(isWorthASight)).map((queue) => (
              <Queue key={queue.name} queue={queue} state={state} />
            ))}
          </>
        )}
      </List>
    </>
  )
}

const isWorthASight = ({ jobs, recurrences }: QueueReport) => jobs.length > 0 || recurrences.length > 0

function Queue({ queue, state }: { queue: QueueReport; state: JobState | undefined }) {
  const t = useStationTexts()
  const when = useZoneTime()
  const { name, recurrences } = queue
  const { jobs, runs } = viewOf(queue, state)
  const counts = countsOf(queue)
  return (
    <section class="jobs">
      <h2>{name}</h2>
      {counts.some((count) => count > 0) && <p class="hint">{t.jobCounts(...counts)}</p>}
      <ul>
        {jobs.map((job) => (
          <li key={job.id} class="job">
            <Job job={job} queue={name} />
          </li>
        ))}
        {runs.map((its) => (
          <li key={its.name}>
            <RunsLine runs={its} queue={name} />
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

/** A line for all completed runs of a job; it opens to show each. */
function RunsLine({ runs: { name, jobs }, queue }: { runs: Runs; queue: string }) {
  const t = useStationTexts()
  const when = useZoneTime()
  return (
    <details class="job-runs">
      <summary class="job">
        <span class="job-what">
          <b>{name}</b>
          <Badge>{t.jobStates.completed}</Badge>
        </span>
        <span class="hint">{t.runs(jobs.length, when(endOf(jobs[0]!)))}</span>
      </summary>
      <ul>
        {jobs.map((job) => (
          <li key={job.id} class="job">
            <Job job={job} queue={queue} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Job({ job, queue }: { job: QueueReport['jobs'][number]; queue: string }) {
  const t = useStationTexts()
  const when = useZoneTime()
  return (
    <>
      <span class="job-what">
        <b>{job.name}</b>
        <Badge tone={job.state === 'failed' ? 'warning' : 'plain'}>{t.jobStates[job.state]}</Badge>
        {job.progress && isTold(job.progress, job.state) && (
          <span class="hint">
            {job.progress.done} / {job.progress.total}
          </span>
        )}
      </span>
      <span class="hint">
        {when(endOf(job))}
        {job.attempts > 1 && ` · ${t.attempts(job.attempts)}`}
      </span>
      {job.failedReason && <span class="job-reason">{job.failedReason}</span>}
      {job.state === 'failed' && <Retry queue={queue} id={job.id} name={job.name} />}
    </>
  )
}

/** Short jobs end without a word on their last step. */
const isTold = ({ done, total }: { done: number; total: number }, state: JobState) =>
  total > 0 && (state !== 'completed' || done === total)

/** The latest moment that is known of a job. */
const endOf = ({ finishedAt, startedAt, createdAt }: QueueReport['jobs'][number]) =>
  finishedAt ?? startedAt ?? createdAt

function useZoneTime() {
  const { config } = useAdmin()
  return (atMs: number) => zoneTime(atMs, config.timeZone)
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
