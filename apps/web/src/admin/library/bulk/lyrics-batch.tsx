import type { LibraryRow, LyricsBatchResult } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { useCommand } from '../../data/commands.ts'
import { usePanel, useStation } from '../../data/panel.ts'
import { useQuery } from '../../data/query.ts'
import type { ReplyOf } from '../../data/routes.ts'
import { Drawer } from '../../ui/layers/drawer.tsx'
import { Badge } from '../../ui/state/badge.tsx'
import { List } from '../../ui/state/list.tsx'
import { ProgressRing } from '../../ui/state/progress-ring.tsx'
import { useLibraryTexts } from '../library-context.ts'
import { lineOf } from './results.tsx'

const BATCHES = '/api/admin/jobs/lyrics-batch'
/** In case an announcement of the job got lost. */
const LOOK_MS = 3_000

interface Props {
  ids: readonly string[]
  rows: readonly (LibraryRow | undefined)[]
  onClose: () => void
}

/** Looks up lyrics in the background, and shows what became of each track. */
export function LyricsBatch({ ids, rows, onClose }: Props) {
  const t = useLibraryTexts().lyricsBatch
  const [force, setForce] = useState(false)
  const [batch, setBatch] = useState<{ jobId: string; ids: readonly string[] } | null>(null)
  const start = useCommand('POST /api/admin/jobs/lyrics-batch', { success: '' })
  if (batch)
    return (
      <Drawer title={t.results} onClose={onClose}>
        <Batch jobId={batch.jobId} rows={rows} />
      </Drawer>
    )
  const choice = (value: boolean, label: string) => (
    <label>
      <input type="radio" name="force" checked={force === value} onChange={() => setForce(value)} />
      {label}
    </label>
  )
  const begin = async () => {
    const answer = await start.run({ body: { songIds: [...ids], force } })
    if (answer) setBatch({ jobId: answer.jobId, ids })
  }
  return (
    <Drawer
      title={t.title(ids.length)}
      onClose={onClose}
      actions={
        <button
          type="button"
          class="button primary"
          aria-disabled={start.isBusy}
          onClick={() => void begin()}
        >
          {t.start}
        </button>
      }
    >
      <fieldset class="lib-choices">
        <legend class="unseen">{t.title(ids.length)}</legend>
        {choice(false, t.better)}
        {choice(true, t.force)}
      </fieldset>
      <p class="lib-note">{t.hint}</p>
    </Drawer>
  )
}

function Batch({ jobId, rows }: { jobId: string; rows: Props['rows'] }) {
  const { queries } = usePanel()
  const station = useStation()
  const state = useQuery('GET /api/admin/jobs/lyrics-batch/:jobId', { params: { jobId } })
  const isOver = state.is === 'ready' && (state.data.state === 'done' || state.data.state === 'failed')
  useEffect(() => {
    if (isOver) {
      queries.invalidate('/api/admin/songs', '/api/admin/lyrics')
      return
    }
    const look = () => queries.invalidate(BATCHES)
    const timer = setInterval(look, LOOK_MS)
    const stop = station.on('job_progress', (job) => job.jobId === jobId && look())
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [isOver, jobId])
  return (
    <List state={state} rows={4}>
      {(data) => <BatchResults data={data} rows={rows} />}
    </List>
  )
}

function BatchResults({
  data,
  rows,
}: {
  data: ReplyOf<'GET /api/admin/jobs/lyrics-batch/:jobId'>
  rows: Props['rows']
}) {
  const t = useLibraryTexts()
  const { state, done, total, results } = data
  const part = total > 0 ? done / total : 0
  const saying = {
    waiting: t.lyricsBatch.waiting,
    running: '',
    done: t.lyricsBatch.done,
    failed: t.lyricsBatch.failed,
  }
  const tone = (outcome: LyricsBatchResult['outcome']) =>
    outcome === 'saved' ? 'light' : outcome === 'failed' ? 'warning' : 'plain'
  return (
    <>
      <div class="lib-batch">
        <ProgressRing part={part}>{`${Math.round(part * 100)}%`}</ProgressRing>
        <p role="status">
          {t.lyricsBatch.progress(done, total)} {saying[state]}
        </p>
      </div>
      <ul class="lib-results">
        {results.map(({ songId, outcome, before, after, error }) => (
          <li key={songId}>
            <span>{lineOf(songId, rows)}</span>
            <span class="lib-note">
              {outcome === 'saved' && before !== after
                ? `${t.lyricsBatch.status[before]} → ${t.lyricsBatch.status[after]}`
                : error && (t.failures[error] ?? t.otherFailure(error))}
            </span>
            <Badge tone={tone(outcome)}>{t.lyricsBatch.outcomes[outcome]}</Badge>
          </li>
        ))}
      </ul>
    </>
  )
}
