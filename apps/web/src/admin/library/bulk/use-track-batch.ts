import type { Mode, TrackResult } from '@solstice/contracts'
import { useRef, useState } from 'preact/hooks'
import { call, failureText } from '../../data/client.ts'
import { usePanel } from '../../data/panel.ts'
import { useLibraryTexts } from '../library-context.ts'
import type { ChosenTracks } from '../use-chosen-tracks.ts'
import { inPieces } from './in-pieces.ts'

/** Small enough for progress that moves, large enough for the audit log to stay readable. */
const PIECE = 200
/** In one piece: the station refuses to delete more than the quota, or everything, as a whole. */
const WHOLE = 20_000

type State = { is: 'idle' } | { is: 'running'; action: 'move' | 'delete'; done: number; total: number }
export type FailedTrack = { songId: string; error: string }

/** Moves and deletes chosen tracks, and tells what became of them. Those that could not be changed stay chosen. */
export function useTrackBatch(chosen: ChosenTracks) {
  const { toasts, queries, locale } = usePanel()
  const t = useLibraryTexts().bulk
  const [state, setState] = useState<State>({ is: 'idle' })
  const [failed, setFailed] = useState<readonly FailedTrack[] | null>(null)
  const stopping = useRef(new AbortController())

  const run = async (
    action: 'move' | 'delete',
    ids: readonly string[],
    send: (songIds: string[]) => Promise<{ results: TrackResult[] }>,
  ) => {
    stopping.current = new AbortController()
    const total = ids.length
    setState({ is: 'running', action, done: 0, total })
    const { results, error } = await inPieces(
      ids,
      action === 'delete' ? WHOLE : PIECE,
      async (songIds) => (await send(songIds)).results,
      (done) => setState({ is: 'running', action, done, total }),
      stopping.current.signal,
    )
    setState({ is: 'idle' })
    const done = new Set(results.filter(({ ok }) => ok).map(({ songId }) => songId))
    const refused = results
      .filter(({ ok }) => !ok)
      .map(({ songId, error: code = 'INTERNAL' }) => ({ songId, error: code }))
    chosen.set(ids.filter((id) => !done.has(id)))
    queries.invalidate('/api/admin/songs', '/api/admin/song-editor/delete-quota')
    if (error) toasts.show({ is: 'failed', text: failureText(error, locale) })
    const said = done.size > 0 ? (action === 'move' ? t.moved(done.size) : t.deleted(done.size)) : ''
    if (refused.length)
      toasts.show({
        is: 'failed',
        text: `${said} ${t.notDone(refused.length)}`.trim(),
        action: { label: t.details, run: () => setFailed(refused) },
      })
    else if (said) toasts.show({ is: 'done', text: said })
  }

  return {
    state,
    failed,
    forget: () => setFailed(null),
    stop: () => stopping.current.abort(),
    move: (ids: readonly string[], targetMode: Mode) =>
      void run('move', ids, (songIds) =>
        call('POST /api/admin/song-editor/batch-move', { body: { songIds, targetMode } }),
      ),
    delete: (ids: readonly string[]) =>
      void run('delete', ids, (songIds) =>
        call('POST /api/admin/song-editor/batch-delete', { body: { songIds } }),
      ),
  }
}
